import {programName} from '../../core/program-name.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/**
 * Bash also splits words at `:` and `=`, and replaces only the part after them, which it passes without an open quote. So the
 * program gets the typed line with that part. A tilde in the program's path is not expanded yet. Without a suggestion, bash
 * completes files. Its second Tab (63) only lists what the first one had: then summaries stand behind the words, such as titles.
 */
const bash = `# Completion of service for bash. To load it now: source <(PROGRAM completion bash)
_service_completion() {
	local line=\${COMP_LINE:0:COMP_POINT} reply summary
	local -a listed=()
	COMPREPLY=()
	while IFS=$'\\t' read -r reply summary; do
		COMPREPLY+=("$reply")
		listed+=("\${reply}\${summary:+  $summary}")
	done < <("\${1/#\\~/$HOME}" __complete --line "$line" "$2" 2>/dev/null </dev/null)
	if [[ \${COMP_TYPE:-} == 63 && \${#COMPREPLY[@]} -gt 1 ]]; then
		COMPREPLY=("\${listed[@]}")
	fi
}
complete -o nosort -o default -F _service_completion service svc 2>/dev/null ||
	complete -o default -F _service_completion service svc
`;

const zsh = `#compdef service svc
# Completion of service for zsh. To load it now: source <(PROGRAM completion zsh)
_service() {
	local line
	local -a lines values
	lines=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
	for line in $lines; do
		values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
	done
	if (( $#values )); then
		_describe -V service values
	else
		_files
	fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
	_service "$@"
else
	compdef _service service svc
fi
`;

const fish = `# Completion of service for fish. To load it now: PROGRAM completion fish | source
function __service_completion
	set -l words (commandline -opc)
	set -l program $words[1]
	set -e words[1]
	set -l values (command $program __complete -- $words (commandline -ct) 2>/dev/null </dev/null)
	if set -q values[1]
		printf '%s\\n' $values
	else
		__fish_complete_path (commandline -ct)
	end
end
complete -c service -f -k -a '(__service_completion)'
complete -c svc -f -k -a '(__service_completion)'
`;

const scripts: Readonly<Record<Shell, string>> = {bash, zsh, fish};

/** Returns the completion script for `service` and `svc`, with a final newline. */
export function completionScript(shell: Shell): string {
	return scripts[shell].replace('PROGRAM', programName());
}
