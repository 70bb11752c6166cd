"""The page about TensorFlow's documentation says what its lists say."""

from __future__ import annotations

import json

from scripts import documentation_cells as cells

PAGES = json.loads(cells.LISTS.read_text())


def test_the_page_is_made_of_the_lists() -> None:
    """`python -m scripts.documentation_cells --page` writes it."""
    text = cells.PAGE.read_text()
    assert text[text.index(cells.MARK) :] == cells.page_text(PAGES)


def test_the_page_is_the_same_in_whatever_order_cells_were_found() -> None:
    def page(*numbers: str) -> dict[str, object]:
        return {"count": 20, "lost": {}, "prints otherwise": dict.fromkeys(numbers, "clocks")}

    text = cells.page_text({"site/en/guide/a.ipynb": page("10", "9", "2")})
    assert text == cells.page_text({"site/en/guide/a.ipynb": page("2", "9", "10")})
    assert "| guide/a | 20 | 20 | 2, 9, 10 |" in text


def test_numbers_and_words_of_outputs_are_compared_and_addresses_are_not() -> None:
    assert cells.prints_alike("<A object at 0x7f> 1.00001 [ 2]", "<A object at 0x8a> 1.0 [2]")
    assert not cells.prints_alike("loss 1.01", "loss 1.0")
    assert not cells.prints_alike("loss 1.0", "Loss 1.0")


def test_a_cell_that_is_lost_has_a_cause_and_those_after_it_have_the_same() -> None:
    theirs = [{"cell": n, "status": "ok", "stdout": ""} for n in range(3)]
    ours = [
        {"cell": 0, "status": "ok", "stdout": ""},
        {"cell": 1, "status": "failed", "stdout": "", "last": "Emplace has no tf.saved_model.save"},
        {"cell": 2, "status": "consequence", "stdout": ""},
    ]
    found = cells.compared(theirs, ours, {})
    assert found == {
        "count": 3, "lost": {"1": "SavedModel", "2": "SavedModel"}, "prints otherwise": {},
    }  # fmt: skip
    written_by_hand = {"lost": {"1": "TPU"}}
    assert cells.compared(theirs, ours, written_by_hand)["lost"]["1"] == "TPU"


def test_a_cell_that_prints_otherwise_on_tensorflow_itself_says_so() -> None:
    def run(*losses: str) -> list[dict[str, object]]:
        return [{"cell": n, "status": "ok", "stdout": text} for n, text in enumerate(losses)]

    found = cells.compared(run("1.0", "2.0"), run("1.1", "2.1"), {}, again=run("1.2", "2.0"))
    assert found["prints otherwise"] == {"0": cells.DIFFERS, "1": cells.UNKNOWN}
