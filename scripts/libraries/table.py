"""The libraries that are run on Emplace: what to install, and where their tests are."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Library:
    """One library, as it is installed and run.

    Attributes:
        name: its title on the page.
        module: what is imported first.
        packages: distributions with versions, the library's own first; without dependencies.
        beside: other libraries of this table that it needs, by name.
        tests: files and folders of tests, below the folder into which it is installed.
        source: a repository on GitHub and a tag, "owner/name@tag", whose files are added where the
            packages lack tests; paths of it follow.
        moved: (folder of the repository, folder below which packages have it), whose modules are
            imported by their names there.
        environment: variables that it is run with.
        arguments: of pytest.
        seconds: limit of a run of its tests.
    """

    name: str
    module: str
    packages: tuple[str, ...]
    beside: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    moved: tuple[str, str] = ("", "")
    environment: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    seconds: int = 900

    @property
    def version(self) -> str:
        return self.packages[0].partition("==")[2]


_KERAS_2 = {"TF_USE_LEGACY_KERAS": "1"}
_OF_KERAS = ("-k", "not jax and not torch")

# What TensorFlow brings along and libraries import, and what their tests need.
COMMON = (
    "scipy==1.17.1", "pandas==3.1.1", "scikit-learn==1.9.1", "joblib==1.6.0",
    "threadpoolctl==3.8.0", "narwhals==2.29.0", "networkx==3.6.1", "pytest==9.2.0",
    "pytest-timeout==2.4.0", "pluggy==1.7.0", "iniconfig==2.3.1", "python-dateutil==4.0.0",
    "tzdata==2026.6", "six==1.17.0", "matplotlib==3.11.2", "contourpy==1.3.3", "cycler==0.12.1",
    "fonttools==4.68.0", "kiwisolver==1.5.1", "pillow==13.0.0", "pyparsing==3.3.3",
    "cloudpickle==3.1.2", "typing-extensions==4.16.0", "tqdm==4.70.1", "pytest-mock==3.17.0",
    "mock==5.2.0", "parameterized==0.9.0", "wrapt==2.5.2", "google-pasta==0.2.0", "gast==0.7.0",
    "astunparse==1.6.3", "termcolor==3.3.0", "absl-py==2.5.1",
)  # fmt: skip

LIBRARIES = (
    Library(
        "einops", "einops.layers.tensorflow", ("einops==0.8.2",),
        tests=("einops/tests",), environment={"EINOPS_TEST_BACKENDS": "tensorflow"},
    ),
    Library(
        "tensorly", "tensorly", ("tensorly==0.10.0",),
        tests=("tensorly",), environment={"TENSORLY_BACKEND": "tensorflow"},
    ),
    Library(
        "TensorFlow Probability", "tensorflow_probability",
        ("tensorflow-probability==0.25.0", "dm-tree==0.1.10", "decorator==5.3.1",
         "attrs==26.1.0"),
        beside=("tf_keras",), source=("tensorflow/probability@v0.25.0", "tensorflow_probability"),
        tests=tuple(
            f"tensorflow_probability/python/{part}"
            for part in (
                "distributions", "bijectors", "mcmc", "sts", "math", "vi", "glm", "optimizer",
                "layers",
            )
        ),
        environment=_KERAS_2, seconds=3600,
    ),
    Library(
        "Sonnet", "sonnet", ("dm-sonnet==2.0.2", "dm-tree==0.1.10", "tabulate==0.10.0",
         "attrs==26.1.0"),
        source=("google-deepmind/sonnet@v2.0.2", "sonnet"), tests=("sonnet/src",), seconds=1800,
    ),
    Library(
        "Recommenders", "tensorflow_recommenders", ("tensorflow-recommenders==0.7.7",),
        beside=("tf_keras",), tests=tuple(
            f"tensorflow_recommenders/{part}"
            for part in (
                "tasks", "metrics", "models", "layers/feature_interaction", "layers/loss_test.py",
                "layers/factorized_top_k_test.py", "layers/feature_multiplexing",
                "experimental/optimizers",
            )
        ),
        environment=_KERAS_2,
    ),
    Library(
        "Larq", "larq", ("larq==0.14.0", "terminaltables==3.1.10", "packaging==26.3"),
        beside=("tf_keras",), tests=("larq",), environment=_KERAS_2,
    ),
    Library(
        "scikeras", "scikeras.wrappers", ("scikeras==0.13.0",),
        tests=("tests",), source=("adriangb/scikeras@v0.13.0", "tests"),
    ),
    Library(
        "KerasRS", "keras_rs", ("keras-rs==0.4.0",),
        tests=("keras_rs",), source=("keras-team/keras-rs@v0.4.0", "keras_rs"),
    ),
    Library(
        "KerasTuner", "keras_tuner", ("keras-tuner==1.4.8", "kt-legacy==1.0.5"),
        tests=("keras_tuner",), source=("keras-team/keras-tuner@v1.4.7", "keras_tuner"),
    ),
    Library(
        "AutoKeras", "autokeras", ("autokeras==3.0.0", "dm-tree==0.1.10"),
        beside=("KerasTuner",), tests=("autokeras",),
    ),
    Library(
        "Spektral", "spektral", ("spektral==1.3.1", "lxml==6.1.3"), beside=("tf_keras",),
        tests=("tests",), source=("danielegrattarola/spektral@master", "tests"),
        environment=_KERAS_2,
    ),
    Library(
        "GPflow", "gpflow",
        ("gpflow==2.11.2", "check-shapes==1.1.1", "deprecated==1.3.1", "lark==1.3.1",
         "multipledispatch==1.0.0", "tabulate==0.10.0", "dropstackframe==0.1.1",
         "tensorflow-probability==0.25.0", "dm-tree==0.1.10", "decorator==5.3.1",
         "attrs==26.1.0"),
        beside=("tf_keras",), tests=("tests",), seconds=1800,
    ),
    Library(
        "Trieste", "trieste",
        ("trieste==4.6.1", "gpflux==0.4.5", "greenlet==3.5.6", "dill==0.4.1"),
        beside=("GPflow", "tf_keras"),
        tests=("tests/unit",), source=("secondmind-labs/trieste@v4.2.1", "tests"),
        environment=_KERAS_2,
    ),
    Library(
        "Model Optimization", "tensorflow_model_optimization",
        ("tensorflow-model-optimization==0.8.1", "dm-tree==0.1.10"), beside=("tf_keras",),
        tests=("tensorflow_model_optimization",), environment=_KERAS_2,
        source=("tensorflow/model-optimization@v0.8.1", "tensorflow_model_optimization"),
    ),
    Library(
        "tf_keras", "tf_keras", ("tf-keras==2.21.0",),
        tests=("tf_keras/src",), source=("keras-team/tf-keras@v2.21.0", "tf_keras"),
        moved=("tf_keras", "tf_keras/src"), seconds=3600,
    ),
    Library(
        "shap", "shap",
        ("shap==0.51.0", "slicer==0.0.8", "numba==0.68.1", "llvmlite==0.50.0"),
        tests=("tests/explainers/test_deep.py", "tests/explainers/test_gradient.py"),
        source=("shap/shap@v0.51.0", "tests"),
    ),
    Library(
        "PennyLane", "pennylane",
        ("pennylane==0.45.1", "autograd==1.9.1", "rustworkx==0.18.1", "cachetools==8.0.1",
         "autoray==0.11.0", "appdirs==1.4.4", "tomlkit==0.15.2", "diastatic-malt==2.15.3",
         "astunparse==1.6.3", "gast==0.7.0", "semantic-version==2.10.0",
         "pennylane-lightning==0.45.0", "scipy-openblas32==0.3.34.481.3"),
    ),
    Library(
        "Datasets", "tensorflow_datasets",
        ("tensorflow-datasets==4.9.10", "dm-tree==0.1.10", "immutabledict==4.3.1",
         "promise==2.3", "etils==1.15.0", "tensorflow-metadata==1.21.0",
         "simple-parsing==0.1.9", "docstring-parser==0.18.0", "pyarrow==26.0.1", "toml==0.10.2",
         "googleapis-common-protos==1.76.0", "importlib-resources==7.1.0", "zipp==4.1.2",
         "fsspec==2026.9.0", "psutil==7.2.2", "click==8.5.1"),
        tests=("tensorflow_datasets/core/features",),
    ),
    Library(
        "KerasHub", "keras_hub",
        ("keras-hub==0.32.0", "regex==2026.11.15", "tokenizers==0.23.3", "grain==0.2.18",
         "array-record==0.8.6", "etils==1.15.0", "importlib-resources==7.1.0", "zipp==4.1.2",
         "fsspec==2026.9.0", "portpicker==1.6.0"),
        tests=("keras_hub/src/layers", "keras_hub/src/metrics", "keras_hub/src/samplers"),
        source=("keras-team/keras-hub@v0.31.1", "keras_hub"),
    ),
    Library(
        "DeepXDE", "deepxde",
        ("deepxde==1.15.0", "pyaml==26.7.0", "scikit-optimize==0.10.2",
         "pyyaml==6.0.3"),
        beside=("GPflow", "tf_keras"),
        environment={"DDE_BACKEND": "tensorflow", **_KERAS_2},
    ),
    Library("BayesFlow", "bayesflow", ("bayesflow==2.0.12", "seaborn==0.13.2")),
    Library(
        "TensorBoard's plug-ins", "tensorboard.plugins.hparams.api",
        ("tensorboard==2.21.0", "tensorboard-data-server==0.7.2", "werkzeug==3.1.9",
         "markupsafe==3.0.4", "markdown==3.11.3"),
    ),
)  # fmt: skip
