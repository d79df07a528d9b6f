# Reads only: everything that CI checks.
verify *suites:
    ./test {{suites}}

# Mends what can be mended by a machine.
fix:
    cargo fix --workspace --all-targets --allow-dirty --allow-staged
    cargo clippy --fix --workspace --all-targets --allow-dirty --allow-staged
    cargo fmt --all
