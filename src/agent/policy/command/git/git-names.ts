import type {Arguments} from '../options.ts';

/** Options that change how commits are drawn, not which: names are printed instead. */
const drawing =
	/^(?:-p|-u|-s|-z|-U|-W|-w|-b|--(?:patch.*|no-patch|raw|stat|shortstat|numstat|summary|dirstat|compact-summary|check|name-only|name-status|unified|word-diff|color-words|color|no-color|graph|oneline|format|pretty|source|boundary|left-right|cherry-mark|exit-code|quiet|function-context|decorate|no-decorate|abbrev.*|no-abbrev.*|relative|find-renames|find-copies|no-renames)|-q|-M|-C|-D)$/;

/**
 * Returns the arguments with which `git log`, `git show` or `git stash` prints the names of the files of which it would print
 * contents. `first` is the verb of `stash`.
 */
export function namesOnly(command: string, {options, words}: Arguments, first: readonly string[] = []): string[] {
	const kept = [...options].flatMap(([name, values]) =>
		drawing.test(name) ? [] : values.map(value => optionText(name, value)),
	);
	const ours = ['--name-only', '--no-renames', '-z', '--format=', '--no-color'];
	return [command, ...first, ...kept, ...ours, ...words.slice(first.length)];
}

function optionText(name: string, value: string): string {
	if (name === '-#') {
		return `-${value}`;
	}

	return name.startsWith('--') && value !== '' ? `${name}=${value}` : `${name}${value}`;
}
