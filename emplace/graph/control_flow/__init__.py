"""Operations with bodies, what is built of them, and their gradients."""
