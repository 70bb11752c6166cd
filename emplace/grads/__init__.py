"""How each op differentiates. File names mirror `ops/`; a rule is written with public ops."""
