"""`tf.linalg`."""

from ..ops.linalg.decomposition import (
    cholesky as cholesky,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    expm as expm,
    logm as logm,
    lu as lu,
    qr as qr,
    sqrtm as sqrtm,
    svd as svd,
)
from ..ops.linalg.diagonal import (
    band_part as band_part,
    diag as diag,
    diag_part as diag_part,
    eye as eye,
    set_diag as set_diag,
    tensor_diag as tensor_diag,
    tensor_diag_part as tensor_diag_part,
    trace as trace,
)
from ..ops.linalg.einsum import (
    einsum as einsum,
    tensordot as tensordot,
)
from ..ops.linalg.norms import (
    cross as cross,
    matrix_rank as matrix_rank,
    norm as norm,
    normalize as normalize,
    pinv as pinv,
)
from ..ops.linalg.products import (
    adjoint as adjoint,
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    matvec as matvec,
)
from ..ops.linalg.solving import (
    cholesky_solve as cholesky_solve,
    det as det,
    inv as inv,
    logdet as logdet,
    lstsq as lstsq,
    lu_matrix_inverse as lu_matrix_inverse,
    lu_reconstruct as lu_reconstruct,
    lu_solve as lu_solve,
    slogdet as slogdet,
    solve as solve,
    triangular_solve as triangular_solve,
)
from ..ops.linalg.tridiagonal import (
    banded_triangular_solve as banded_triangular_solve,
    eigh_tridiagonal as eigh_tridiagonal,
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)
from ..ops.math.clipping import (
    global_norm as global_norm,
)
from ..ops.nn.moments import (
    l2_normalize as l2_normalize,
)
