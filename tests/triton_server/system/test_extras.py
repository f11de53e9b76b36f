"""What is said about packages that are not installed."""

import shlex

from packaging.requirements import Requirement

from triton_server.system.extras import install_command


def test_command_names_packages_that_are_published() -> None:
    for extra, package in (("postgresql", "psycopg[binary]"), ("cluster", "ray[serve]")):
        pip, install, *packages = shlex.split(install_command(extra))
        assert (pip, install) == ("pip", "install")
        (requirement,) = map(Requirement, packages)
        assert str(requirement).startswith(package) and requirement.specifier
