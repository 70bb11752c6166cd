"""`tf.__internal__.saved_model.load`."""

from ....interop.keras_two import (
    VersionedTypeRegistration as VersionedTypeRegistration,
    get_setter as get_setter,
    register_revived_type as register_revived_type,
    registered_identifiers as registered_identifiers,
)
