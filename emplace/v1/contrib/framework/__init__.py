"""`tf.contrib.framework`: `arg_scope` and the global step."""

from ....classic.contrib.arg_scope import (
    add_arg_scope as add_arg_scope,
    arg_scope as arg_scope,
    has_arg_scope as has_arg_scope,
)
from ....training.global_step import (
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
)
