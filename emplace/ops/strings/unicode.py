"""Strings as characters: decoding, encoding, splitting, and the scripts of characters."""

from __future__ import annotations

import codecs
import functools
import itertools
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from .. import infer
from ..array.making import range_
from ..array.shaping import reshape, size
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..ragged.making import from_tensor, make_ragged
from .basic import as_texts, attr_text, changed, check_choice, text_array
from .scripts import script_table
from .split import over_vector

_ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
_ERRORS = ("strict", "replace", "ignore")
_ORDINARY = 0x20
# Encodings that may begin with a mark of the order of their bytes: the one of the lower byte first.
_MARKS = {"utf-16": codecs.BOM_UTF16_LE, "utf-32": codecs.BOM_UTF32_LE}


class _Decoder:
    """Turns bytes into code points and the places where each begins."""

    def __init__(
        self, op_name: str, encoding: str, errors: str, replacement: int, controls: bool
    ) -> None:
        check_choice(op_name, "errors", errors, _ERRORS)
        try:
            self._codec = codecs.lookup(encoding.replace("UTF-16-", "UTF-16").replace(
                "UTF-32-", "UTF-32")).name  # fmt: skip
        except LookupError:
            raise invalid_argument(
                f"Could not create converter for input encoding: {encoding}"
            ) from None
        if not 0 <= replacement <= 0x10FFFF:
            raise invalid_argument("replacement_char out of unicode codepoint range")
        self._errors = errors
        self._replaces_controls = op_name != "UnicodeTranscode"
        self._replacement = replacement
        self._controls = controls

    def points(self, text: bytes) -> list[int]:
        """The code points of a string."""
        return [point for point, _ in self.located(text)]

    def quick_points(self, text: bytes) -> list[int]:
        """The code points of a string, without looking at each where nothing is wrong."""
        if not self._controls:
            codec, begin = self._order(text)
            try:
                return list(map(ord, text[begin:].decode(codec)))
            except UnicodeDecodeError:
                pass
        return self.points(text)

    def located(self, text: bytes) -> list[tuple[int, int]]:
        """The code points of a string, each with the byte where it begins."""
        found: list[tuple[int | None, int]] = []
        codec, place = self._order(text)
        while place < len(text):
            try:
                good, bad = text[place:].decode(codec), None
            except UnicodeDecodeError as error:
                good, bad = text[place : place + error.start].decode(codec), error
            for character in good:
                found.append((ord(character), place))
                place += _width(character, codec)
            if bad is None:
                break
            found.append((None, place))
            place += bad.end - bad.start
        if found:  # TF: the first one begins where the mark of the order does
            found[0] = found[0][0], 0
        return self._mended(found)

    def _order(self, text: bytes) -> tuple[str, int]:
        """The codec of a string, and where its characters begin: where the encoding leaves the
        order of bytes open, a mark in front of them says it. TF: the higher byte first without one.
        """
        if self._codec not in _MARKS:
            return self._codec, 0
        little = _MARKS[self._codec]
        if text.startswith(little):
            return f"{self._codec}-le", len(little)
        return f"{self._codec}-be", len(little) if text.startswith(little[::-1]) else 0

    def _mended(self, found: list[tuple[int | None, int]]) -> list[tuple[int, int]]:
        """What is no character, and control characters if they are unwanted, as `errors` says. TF:
        "strict" replaces the latter where it decodes, and refuses them where it encodes again.
        """
        made: list[tuple[int, int]] = []
        for point, place in found:
            is_control = point is not None and self._controls and point < _ORDINARY
            if point is not None and not is_control:
                made.append((point, place))
            elif self._errors == "strict" and not (is_control and self._replaces_controls):
                raise invalid_argument("Invalid formatting on input string")
            elif self._errors != "ignore":
                made.append((self._replacement, place))
        return made


def _width(character: str, codec: str) -> int:
    """How many bytes a character takes."""
    if codec == "utf-8":
        point = ord(character)
        return 1 + (point > 0x7F) + (point > 0x7FF) + (point > 0xFFFF)
    return len(character.encode(codec))


def _decode(
    input: np.ndarray[Any, Any], decoder: _Decoder
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows = [decoder.located(text) for text in input.reshape(-1).tolist()]
    splits = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    flat = [pair for row in rows for pair in row]
    points = np.array([point for point, _ in flat], np.int32)
    places = np.array([place for _, place in flat], np.int64)
    return torch.from_numpy(splits), torch.from_numpy(points), torch.from_numpy(places)


def decode_kernel(
    input: np.ndarray[Any, Any],
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    Tsplits: DType = dtypes.int64,  # noqa: N803
) -> tuple[torch.Tensor, torch.Tensor]:
    """The code points of strings, as row splits and values."""
    decoder = _Decoder(
        "UnicodeDecode", input_encoding, errors, replacement_char, replace_control_characters
    )
    rows = [decoder.quick_points(text) for text in input.reshape(-1).tolist()]
    splits = np.cumsum([0, *map(len, rows)]).astype(Tsplits.as_numpy_dtype)
    points = np.array([point for row in rows for point in row], np.int32)
    return torch.from_numpy(splits), torch.from_numpy(points)


def decode_with_offsets_kernel(
    input: np.ndarray[Any, Any],
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    Tsplits: DType = dtypes.int64,  # noqa: N803
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The code points of strings and where each begins: row splits, values, places."""
    decoder = _Decoder(
        "UnicodeDecodeWithOffsets", input_encoding, errors, replacement_char,
        replace_control_characters,
    )  # fmt: skip
    splits, points, places = _decode(input, decoder)
    return splits.to(Tsplits.torch), points, places


DECODE = op(
    "UnicodeDecode", "input: string -> row_splits: Tsplits, char_values: int32", decode_kernel,
    None, device_types=CPU_ONLY,
)  # fmt: skip
DECODE_WITH_OFFSETS = op(
    "UnicodeDecodeWithOffsets",
    "input: string -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
    decode_with_offsets_kernel, None, device_types=CPU_ONLY,
)  # fmt: skip


def _is_character(point: int) -> bool:
    return 0 <= point < 0xD800 or 0xDFFF < point <= 0x10FFFF


def encode_kernel(
    input_values: torch.Tensor,
    input_splits: torch.Tensor,
    *,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
) -> Any:
    """One string of each row of code points."""
    check_choice("UnicodeEncode", "errors", errors, _ERRORS)
    check_choice("UnicodeEncode", "output_encoding", output_encoding, _ENCODINGS)
    points: list[int] = []
    codec = output_encoding.replace("-BE", "BE")
    made = []
    values, splits = input_values.tolist(), input_splits.tolist()
    for start, stop in itertools.pairwise(splits):
        points = values[start:stop]
        if not all(map(_is_character, points)):
            points = _mended(points, errors, replacement_char)
        made.append("".join(map(chr, points)).encode(codec))
    return text_array(made, (len(made),))


def _mended(points: list[int], errors: str, replacement: int) -> list[int]:
    if errors == "strict":
        raise invalid_argument("Code point is out of range for Unicode, or is a surrogate.")
    if errors == "ignore":
        return [point for point in points if _is_character(point)]
    return [point if _is_character(point) else replacement for point in points]


def _encode_spec(input_values: Spec, input_splits: Spec, **attrs: Any) -> Spec:
    count = (input_splits.dims or (None,))[0]
    return Spec((None if count is None else count - 1,), dtypes.string)


ENCODE = op(
    "UnicodeEncode", "input_values: int32, input_splits: Tsplits -> output: string",
    encode_kernel, _encode_spec, device_types=CPU_ONLY, Tsplits=dtypes.INDICES,
)  # fmt: skip


def transcode_kernel(
    input: np.ndarray[Any, Any],
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> Any:
    """Strings in another encoding."""
    check_choice("UnicodeTranscode", "output_encoding", output_encoding, _ENCODINGS)
    if 0xD800 <= replacement_char <= 0xDFFF:  # a half of a character, which has no bytes
        replacement_char = 0xFFFD
    decoder = _Decoder(
        "UnicodeTranscode", input_encoding, errors, replacement_char, replace_control_characters
    )
    codec = output_encoding.replace("-BE", "BE")
    return changed(input, lambda text: "".join(map(chr, decoder.quick_points(text))).encode(codec))


TRANSCODE = op(
    "UnicodeTranscode", "input: string -> output: string", transcode_kernel, infer.same,
    device_types=CPU_ONLY,
)  # fmt: skip


@functools.cache
def _scripts() -> tuple[torch.Tensor, torch.Tensor]:
    starts, codes = script_table()
    return torch.from_numpy(starts), torch.from_numpy(codes)


def script_kernel(input: torch.Tensor) -> torch.Tensor:
    """The number of the script of each code point, as ICU counts them; -1 for none."""
    starts, codes = _scripts()
    known = (input >= 0) & (input <= 0x10FFFF)
    places = torch.searchsorted(starts, input.clamp(0, 0x10FFFF).contiguous(), right=True) - 1
    return torch.where(known, codes[places], -1)


SCRIPT = op(
    "UnicodeScript",
    "input: int32 -> output: int32",
    script_kernel,
    infer.same,
    device_types=CPU_ONLY,
)


def _attrs(
    op_name: str, encoding: str, errors: str, replacement: int, controls: bool
) -> dict[str, Any]:
    check_choice(op_name, "errors", errors, _ERRORS)
    return {
        "input_encoding": attr_text(encoding, "input_encoding"), "errors": errors,
        "replacement_char": replacement, "replace_control_characters": controls,
    }  # fmt: skip


def _points(input: TensorLike, attrs: dict[str, Any]) -> Any:
    def parts_of(vector: Tensor) -> RaggedTensor:
        splits, points = apply(DECODE, (vector,), attrs)
        return make_ragged(points, splits)

    return over_vector(to_tensor(input), parts_of)


def _places(input: TensorLike, attrs: dict[str, Any]) -> Any:
    def parts_of(vector: Tensor) -> RaggedTensor:
        splits, _, places = apply(DECODE_WITH_OFFSETS, (vector,), attrs)
        return make_ragged(places, splits)

    return over_vector(to_tensor(input), parts_of)


def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the code points of strings (`tf.strings.unicode_decode`).

    Args:
        input: strings of any shape.
        input_encoding: "UTF-8", "UTF-16-BE", "UTF-32-BE", or any that Python knows.
        errors: "replace", "ignore" or "strict": what to do with bytes that are no character.
        replacement_char: the code point that stands for those.
        replace_control_characters: let it stand for control characters too.
        name: a name in graphs.

    Returns:
        A RaggedTensor of int32 with one more dimension; a tensor for a scalar.

    Raises:
        InvalidArgumentError: bytes are no character and `errors` is "strict".

    >>> unicode_decode(["h\u00e9", ""], "UTF-8")
    <tf.RaggedTensor [[104, 233], []]>
    """
    attrs = _attrs(
        DECODE.name, input_encoding, errors, replacement_char, replace_control_characters
    )
    return _points(input, attrs)


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns code points, and the byte where each begins
    (`tf.strings.unicode_decode_with_offsets`).

    Args:
        input: strings of any shape.
        input_encoding: the encoding they have, such as "UTF-8".
        errors: "replace", "ignore" or "strict": what is done about bytes that are no
            characters.
        replacement_char: the code point that stands for those.
        replace_control_characters: True replaces control characters, too.
        name: a name in graphs.
    """
    attrs = _attrs(
        DECODE_WITH_OFFSETS.name, input_encoding, errors, replacement_char,
        replace_control_characters,
    )  # fmt: skip
    return _points(input, attrs), _places(input, attrs)


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Returns strings of code points (`tf.strings.unicode_encode`).

    Args:
        input: int32 (..., characters), dense or ragged.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict": what to do with numbers that are no character.
        replacement_char: the code point that stands for those.
        name: a name in graphs.

    >>> unicode_encode([104, 233], "UTF-8").numpy()
    b'h\xc3\xa9'
    """
    points = to_tensor(input)
    check_choice(ENCODE.name, "errors", errors, _ERRORS)
    check_choice(ENCODE.name, "output_encoding", output_encoding, _ENCODINGS)
    attrs = {
        "output_encoding": attr_text(output_encoding, "output_encoding"), "errors": errors,
        "replacement_char": replacement_char,
    }  # fmt: skip
    if isinstance(points, RaggedTensor):
        return _encoded_rows(points, attrs)
    if points.shape.rank is None:
        raise ValueError("Rank of input_tensor must be statically known.")
    dims = points.shape.as_list()
    if not dims:
        raise ValueError("input_tensor's rank must be at least 1.")
    rows = from_tensor(reshape(points, [-1, dims[-1]]) if dims[-1] else reshape(points, [1, 0]))
    return reshape(_encoded_rows(rows, attrs), dims[:-1])


def _encoded_rows(points: RaggedTensor, attrs: dict[str, Any]) -> Any:
    if isinstance(points.values, RaggedTensor):
        return points.rewrap(_encoded_rows(points.values, attrs))
    if points.values.shape.rank > 1:
        return points.rewrap(unicode_encode(points.values, **attrs))
    return apply(ENCODE, (points.values, points.row_splits), attrs)


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Returns strings in another encoding (`tf.strings.unicode_transcode`).

    Args:
        input: strings of any shape.
        input_encoding: the encoding they have, such as "UTF-8".
        output_encoding: the encoding they get.
        errors: "replace", "ignore" or "strict": what is done about bytes that are no
            characters.
        replacement_char: the code point that stands for those.
        replace_control_characters: True replaces control characters, too.
        name: a name in graphs.

    >>> unicode_transcode("a", "UTF-8", "UTF-16-BE").numpy()
    b'\x00a'
    """
    attrs = _attrs(
        TRANSCODE.name, input_encoding, errors, replacement_char, replace_control_characters
    )
    check_choice(TRANSCODE.name, "output_encoding", output_encoding, _ENCODINGS)
    attrs["output_encoding"] = attr_text(output_encoding, "output_encoding")
    return apply(TRANSCODE, (as_texts(input),), attrs)


def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of each code point's script in ICU's list (`tf.strings.unicode_script`).

    >>> unicode_script([65, 0x3b1]).numpy().tolist()
    [25, 14]
    """
    return apply(SCRIPT, (to_tensor(input),))


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Returns the characters of strings, as strings (`tf.strings.unicode_split`).

    Args:
        input: strings of any shape.
        input_encoding: the encoding they have, such as "UTF-8".
        errors: "replace", "ignore" or "strict": what is done about bytes that are no
            characters.
        replacement_char: the code point that stands for those.
        name: a name in graphs.

    >>> unicode_split(["ab", "c"], "UTF-8")
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    check_choice("UnicodeEncode", "output_encoding", input_encoding, _ENCODINGS)
    points = unicode_decode(input, input_encoding, errors, replacement_char)
    attrs = {
        "output_encoding": input_encoding, "errors": errors, "replacement_char": replacement_char,
    }  # fmt: skip
    flat = points.flat_values if isinstance(points, RaggedTensor) else points
    count = flat.shape[0]
    last = size(flat, dtypes.int64) if count is None else count
    splits = range_(last + 1, dtype=dtypes.int64)
    characters = apply(ENCODE, (flat, splits), attrs)
    return points.with_flat(characters) if isinstance(points, RaggedTensor) else characters


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns characters, and the byte where each begins (`tf.strings.unicode_split_with_offsets`).

    Args:
        input: strings of any shape.
        input_encoding: the encoding they have, such as "UTF-8".
        errors: "replace", "ignore" or "strict": what is done about bytes that are no
            characters.
        replacement_char: the code point that stands for those.
        name: a name in graphs.
    """
    attrs = _attrs(DECODE_WITH_OFFSETS.name, input_encoding, errors, replacement_char, False)
    characters = unicode_split(input, input_encoding, errors, replacement_char)
    return characters, _places(input, attrs)
