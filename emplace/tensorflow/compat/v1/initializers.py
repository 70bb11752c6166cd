"""`tf.compat.v1.initializers`."""

from ....classic.scopes.initializers import (
    Constant as constant,
)
from ....classic.scopes.initializers import (
    GlorotNormal as glorot_normal,
)
from ....classic.scopes.initializers import (
    GlorotUniform as glorot_uniform,
)
from ....classic.scopes.initializers import (
    HeNormal as he_normal,
)
from ....classic.scopes.initializers import (
    HeUniform as he_uniform,
)
from ....classic.scopes.initializers import (
    Identity as identity,
)
from ....classic.scopes.initializers import (
    LecunNormal as lecun_normal,
)
from ....classic.scopes.initializers import (
    LecunUniform as lecun_uniform,
)
from ....classic.scopes.initializers import (
    Ones as ones,
)
from ....classic.scopes.initializers import (
    Orthogonal as orthogonal,
)
from ....classic.scopes.initializers import (
    RandomNormal as random_normal,
)
from ....classic.scopes.initializers import (
    RandomUniform as random_uniform,
)
from ....classic.scopes.initializers import (
    TruncatedNormal as truncated_normal,
)
from ....classic.scopes.initializers import (
    UniformUnitScaling as uniform_unit_scaling,
)
from ....classic.scopes.initializers import (
    VarianceScaling as variance_scaling,
)
from ....classic.scopes.initializers import (
    Zeros as zeros,
)
from ....classic.scopes.readiness import (
    global_variables_initializer as global_variables,
)
from ....classic.scopes.readiness import (
    local_variables_initializer as local_variables,
)
from ....classic.scopes.readiness import (
    tables_initializer,
)
from ....classic.scopes.readiness import (
    variables_initializer as variables,
)
