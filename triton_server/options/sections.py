"""--help in sections, of which the first view has what most people need; --help-all has everything."""

from typing import Any

import click

from ..settings.base import Setting

_SHOWS_ALL = "shows all flags"
_HINT = (
    "A variable or a file can set each flag, too: --max-context is TRITONCHAT_MAX_CONTEXT in the "
    "environment, and max-context = 4096 in the FILE of --config. --help-all has all of them."
)


class SettingOption(click.Option):
    """The flag of a setting. A rare one is only in --help-all."""

    def __init__(self, *names: Any, setting: Setting, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.setting = setting

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Leaves the variable out where a sentence below all flags says what it is called."""
        extra = super().get_help_extra(ctx)
        if self.setting.default:
            extra["default"] = self.setting.default
        if not isinstance(ctx.command, SectionCommand) or _SHOWS_ALL in ctx.meta:
            extra["envvars"] = (self.setting.variable,)
        return extra


class SectionCommand(click.Command):
    """A command with so many flags that --help shows them in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections in the order of their first flags; those of the program itself are the last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            section = option.setting.section if isinstance(option, SettingOption) else "Options"
            is_left_out = isinstance(option, SettingOption) and option.setting.is_rare
            if isinstance(option, click.Option) and (_SHOWS_ALL in ctx.meta or not is_left_out):
                record = option.get_help_record(ctx)
                assert record is not None  # no flag is hidden
                sections.setdefault(section, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)
        formatter.write_paragraph()
        formatter.write_text(_HINT)


def _show_all(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        ctx.meta[_SHOWS_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


help_all_option = click.option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all flags, and exit.",
)
