"""What datasets can: the methods of the class, a mixin per subject."""
