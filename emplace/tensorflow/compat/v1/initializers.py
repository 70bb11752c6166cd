"""`tf.compat.v1.initializers`."""

from ....classic.initializers import (
    Constant as constant,
)
from ....classic.initializers import (
    GlorotNormal as glorot_normal,
)
from ....classic.initializers import (
    GlorotUniform as glorot_uniform,
)
from ....classic.initializers import (
    HeNormal as he_normal,
)
from ....classic.initializers import (
    HeUniform as he_uniform,
)
from ....classic.initializers import (
    Identity as identity,
)
from ....classic.initializers import (
    LecunNormal as lecun_normal,
)
from ....classic.initializers import (
    LecunUniform as lecun_uniform,
)
from ....classic.initializers import (
    Ones as ones,
)
from ....classic.initializers import (
    Orthogonal as orthogonal,
)
from ....classic.initializers import (
    RandomNormal as random_normal,
)
from ....classic.initializers import (
    RandomUniform as random_uniform,
)
from ....classic.initializers import (
    TruncatedNormal as truncated_normal,
)
from ....classic.initializers import (
    UniformUnitScaling as uniform_unit_scaling,
)
from ....classic.initializers import (
    VarianceScaling as variance_scaling,
)
from ....classic.initializers import (
    Zeros as zeros,
)
from ....classic.readiness import (
    global_variables_initializer as global_variables,
)
from ....classic.readiness import (
    local_variables_initializer as local_variables,
)
from ....classic.readiness import (
    tables_initializer,
)
from ....classic.readiness import (
    variables_initializer as variables,
)
