"""`tf.compat.v1.gfile`."""

from ....ops.io.gfile import GFile
from ....ops.io.gfile import GFile as FastGFile
from ....ops.io.gfile import GFile as Open
from ....ops.io.gfile import copy as Copy
from ....ops.io.gfile import exists as Exists
from ....ops.io.gfile import glob as Glob
from ....ops.io.gfile import isdir as IsDirectory
from ....ops.io.gfile import listdir as ListDirectory
from ....ops.io.gfile import makedirs as MakeDirs
from ....ops.io.gfile import mkdir as MkDir
from ....ops.io.gfile import remove as Remove
from ....ops.io.gfile import rename as Rename
from ....ops.io.gfile import rmtree as DeleteRecursively
from ....ops.io.gfile import stat as Stat
from ....ops.io.gfile import walk as Walk
