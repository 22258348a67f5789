"""`footfall completion`: what bash, zsh and fish need to complete commands, written from the commands' declarations."""

import argparse
from collections.abc import Iterable, Iterator, Mapping

from footfall.shells.cli.command import Argument, Command, Exit, Surroundings
from footfall.shells.cli.commands import COMMANDS

SHELLS = ("bash", "zsh", "fish")
FILES, FOLDERS = ("FILE", "LOG"), ("DIR",)  # How a declaration shows what is completed from the disk.


def completion(arguments: argparse.Namespace, around: Surroundings) -> int:
    """Print the script for one shell."""
    write = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[arguments.shell]
    around.say("\n".join(write(COMMANDS)))
    return Exit.OK


def bash_script(commands: Mapping[str, Command]) -> Iterator[str]:
    """Return the lines of the script for bash."""
    yield "# Completion of footfall for bash, written by `footfall completion bash`."
    yield "_footfall() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield "  COMPREPLY=()"
    yield '  if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f'    COMPREPLY=($(compgen -W "{" ".join([*commands, "--help", "--version"])}" -- "$word"))'
    yield "    return"
    yield "  fi"
    yield '  case "${COMP_WORDS[1]} $before" in'
    for command in commands.values():
        for argument in _valued(command):
            yield f'    "{command.name} {argument.name}") {_bash_values(argument)} ;;'
    yield "  esac"
    yield '  case "${COMP_WORDS[1]}" in'
    for command in commands.values():
        yield f'    {command.name}) words="{" ".join(_words(command, commands))}" ;;'
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$word"))'
    files = "|".join(command.name for command in commands.values() if _takes_file(command))
    if files:
        yield '  case "${COMP_WORDS[1]} $word" in'
        yield '    *" -"*) ;;'
        yield (
            "    " + "|".join(f'"{name} "*' for name in files.split("|")) + ') COMPREPLY+=($(compgen -f -- "$word")) ;;'
        )
        yield "  esac"
    yield "}"
    yield "complete -o filenames -F _footfall footfall"


def _bash_values(argument: Argument) -> str:
    if argument.choices:
        return f'COMPREPLY=($(compgen -W "{" ".join(argument.choices)}" -- "$word")); return'
    if argument.shows in FOLDERS:
        return 'COMPREPLY=($(compgen -d -- "$word")); return'
    if argument.shows in FILES:
        return 'COMPREPLY=($(compgen -f -- "$word")); return'
    return "return"  # Only the person knows.


def zsh_script(commands: Mapping[str, Command]) -> Iterator[str]:
    """Return the lines of the script for zsh."""
    yield "#compdef footfall"
    yield "# Completion of footfall for zsh, written by `footfall completion zsh`."
    yield "_footfall() {"
    yield "  local -a commands"
    yield "  commands=("
    yield from (f"    {_quoted(f'{one.name}:{_plain(one.says)}')}" for one in commands.values())
    yield "  )"
    yield "  if (( CURRENT == 2 )); then"
    yield "    _describe command commands"
    yield "    return"
    yield "  fi"
    yield "  local command=$words[2]"
    yield "  shift words; (( CURRENT-- ))"
    yield "  case $command in"
    for command in commands.values():
        specs = " ".join(_quoted(_zsh_spec(argument, commands)) for argument in command.arguments)
        yield f"    {command.name}) _arguments {_quoted('--help[Show the help.]')} {specs} ;;"
    yield "  esac"
    yield "}"
    yield 'if [ "$funcstack[1]" = "_footfall" ]; then _footfall "$@"; else compdef _footfall footfall; fi'


def _zsh_spec(argument: Argument, commands: Mapping[str, Command]) -> str:
    says = _plain(argument.says).replace("[", r"\[").replace("]", r"\]").replace(":", r"\:")
    values = _zsh_values(argument, commands)
    if not argument.is_flag:
        return f"{':' if argument.may_be_absent else ''}:{says}:{values}"
    star = "*" if argument.repeated else ""
    shown = (argument.shows or argument.name.lstrip("-")).replace("[", "").replace("]", "").replace(":", " ")
    return f"{star}{argument.name}[{says}]" + ("" if argument.is_switch else f":{shown}:{values}")


def _zsh_values(argument: Argument, commands: Mapping[str, Command]) -> str:
    if choices := _choices(argument, commands):
        return f"({' '.join(choices)})"
    return "_files -/" if argument.shows in FOLDERS else "_files" if argument.shows in FILES else " "


def fish_script(commands: Mapping[str, Command]) -> Iterator[str]:
    """Return the lines of the script for fish."""
    yield "# Completion of footfall for fish, written by `footfall completion fish`."
    yield "complete -c footfall -f"
    for command in commands.values():
        begins = "complete -c footfall -n __fish_use_subcommand"
        yield f"{begins} -a {command.name} -d {_quoted(_plain(command.says))}"
    for command in commands.values():
        here = f"complete -c footfall -n '__fish_seen_subcommand_from {command.name}'"
        for argument in command.arguments:
            choices = _choices(argument, commands)
            values = f" -a {_quoted(' '.join(choices))}" if choices else ""
            values += " -F" if argument.shows in (*FILES, *FOLDERS) else ""
            if argument.is_flag:
                from_disk = argument.shows in (*FILES, *FOLDERS)
                takes = "" if argument.is_switch else " -r" if from_disk else " -x"
                yield f"{here} -l {argument.name.lstrip('-')}{takes}{values} -d {_quoted(_plain(argument.says))}"
            elif values:
                yield f"{here}{values}"


def _words(command: Command, commands: Mapping[str, Command]) -> Iterable[str]:
    yield from (argument.name for argument in command.arguments if argument.is_flag)
    yield "--help"
    for argument in command.arguments:
        if not argument.is_flag:
            yield from _choices(argument, commands)


def _choices(argument: Argument, commands: Mapping[str, Command]) -> tuple[str, ...]:
    return tuple(commands) if argument.shows == "COMMAND" else argument.choices


def _valued(command: Command) -> Iterable[Argument]:
    return (argument for argument in command.arguments if argument.is_flag and not argument.is_switch)


def _takes_file(command: Command) -> bool:
    return any(not argument.is_flag and argument.shows in FILES for argument in command.arguments)


def _plain(says: str) -> str:
    return says.replace("`", "").replace("\n", " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"


COMMAND = Command(
    name="completion",
    says="Print the completion script of a shell.",
    example="source <(footfall completion bash)",
    run=completion,
    arguments=(Argument("shell", "The shell.", choices=SHELLS),),
    more_examples=(
        "footfall completion bash > ~/.local/share/bash-completion/completions/footfall",
        "footfall completion zsh > ~/.zfunc/_footfall",
        "footfall completion fish > ~/.config/fish/completions/footfall.fish",
    ),
)
