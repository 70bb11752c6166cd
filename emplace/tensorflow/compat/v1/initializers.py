"""`tf.compat.v1.initializers`."""

from ....classic.scopes.initializers import (
    Constant as _constant,
    GlorotNormal as _glorot_normal,
    GlorotUniform as _glorot_uniform,
    HeNormal as _he_normal,
    HeUniform as _he_uniform,
    Identity as _identity,
    LecunNormal as _lecun_normal,
    LecunUniform as _lecun_uniform,
    Ones as _ones,
    Orthogonal as _orthogonal,
    RandomNormal as _random_normal,
    RandomUniform as _random_uniform,
    TruncatedNormal as _truncated_normal,
    UniformUnitScaling as _uniform_unit_scaling,
    VarianceScaling as _variance_scaling,
    Zeros as _zeros,
)
from ....classic.scopes.readiness import (
    global_variables_initializer as _global_variables,
    local_variables_initializer as _local_variables,
    tables_initializer as tables_initializer,
    variables_initializer as _variables,
)

# Names that differ from ours, as type checkers want them said.
constant = _constant
glorot_normal = _glorot_normal
glorot_uniform = _glorot_uniform
he_normal = _he_normal
he_uniform = _he_uniform
identity = _identity
lecun_normal = _lecun_normal
lecun_uniform = _lecun_uniform
ones = _ones
orthogonal = _orthogonal
random_normal = _random_normal
random_uniform = _random_uniform
truncated_normal = _truncated_normal
uniform_unit_scaling = _uniform_unit_scaling
variance_scaling = _variance_scaling
zeros = _zeros
global_variables = _global_variables
local_variables = _local_variables
variables = _variables
