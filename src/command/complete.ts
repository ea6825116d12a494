import {type Entry, isNoun} from './command.ts';
import {allCommands} from './table.ts';

/** One line of the slash completion. */
export type Suggestion = {
	/** The whole line after accepting it, with a blank where an argument follows. */
	readonly line: string;
	readonly label: string;
	readonly summary: string;
};

/**
 * What a slash line may become: nouns first, then verbs. Names that begin with what was typed come before names that
 * only contain it. Empty where the line is no command or is already past its name.
 */
export function complete(entries: readonly Entry[], line: string): readonly Suggestion[] {
	if (!line.startsWith('/') || /[\n]/.test(line)) {
		return [];
	}

	const typed = line.slice(1);
	const [first = '', second] = typed.split(/ +/, 2);
	const noun = entries.find(entry => entry.name === first && isNoun(entry));
	if (second !== undefined) {
		return noun && isNoun(noun) && !/ .* /.test(typed)
			? rank(verbsOf(noun.name, entries), second).map(({path, summary, needs}) => toSuggestion(path, summary, needs))
			: [];
	}

	const tops = entries
		.filter(entry => isNoun(entry) || entry.where !== 'shell')
		.map(entry => ({
			word: entry.name,
			aliases: entry.aliases ?? [],
			path: entry.name,
			summary: entry.summary,
			needs: isNoun(entry) ? entry.fallback === undefined : (entry.positional?.length ?? 0) > 0,
		}));
	return rank(tops, first).map(({path, summary, needs}) => toSuggestion(path, summary, needs));
}

type Candidate = {
	readonly word: string;
	readonly aliases: readonly string[];
	readonly path: string;
	readonly summary: string;
	readonly needs: boolean;
};

function verbsOf(noun: string, entries: readonly Entry[]): readonly Candidate[] {
	return allCommands(entries)
		.filter(({path, command}) => path.startsWith(`${noun} `) && command.where !== 'shell')
		.map(({path, command}) => ({
			word: command.name,
			aliases: command.aliases ?? [],
			path,
			summary: command.summary,
			needs: (command.positional?.length ?? 0) > 0,
		}));
}

function rank(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
	const begins = candidates.filter(({word}) => word.startsWith(typed));
	const alias = candidates.filter(
		({word, aliases}) => !word.startsWith(typed) && aliases.some(name => name.startsWith(typed)),
	);
	const contains = candidates.filter(
		candidate =>
			typed.length > 1 && candidate.word.includes(typed) && !begins.includes(candidate) && !alias.includes(candidate),
	);
	return [...begins, ...alias, ...contains];
}

function toSuggestion(path: string, summary: string, needs: boolean): Suggestion {
	return {line: `/${path}${needs ? ' ' : ''}`, label: `/${path}`, summary};
}
