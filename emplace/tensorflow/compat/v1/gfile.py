"""`tf.compat.v1.gfile`."""

from ....classic.functions.files import (
    copy as _Copy,
    delete_recursively as _DeleteRecursively,
    exists as _Exists,
    glob as _Glob,
    is_directory as _IsDirectory,
    list_directory as _ListDirectory,
    make_dirs as _MakeDirs,
    mkdir as _MkDir,
    remove as _Remove,
    rename as _Rename,
    stat as _Stat,
    walk as _Walk,
)
from ....ops.io.gfile import (
    GFile as GFile,
    GFile as _FastGFile,
    GFile as _Open,
)

# Names that differ from ours, as type checkers want them said.
FastGFile = _FastGFile
Open = _Open
Copy = _Copy
Exists = _Exists
Glob = _Glob
IsDirectory = _IsDirectory
ListDirectory = _ListDirectory
MakeDirs = _MakeDirs
MkDir = _MkDir
Remove = _Remove
Rename = _Rename
DeleteRecursively = _DeleteRecursively
Stat = _Stat
Walk = _Walk
