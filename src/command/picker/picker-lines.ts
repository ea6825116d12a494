import type {Choice} from '../../core/question.ts';
import type {Interaction} from '../../platform/interaction.ts';
import {narrowChoices} from './picker-filter.ts';

/** A terminal that works line by line. */
export type Lines = {
	/** Prints a line, made safe. */
	readonly say: (text: string) => void;
	/** Asks for a line; undefined at the end of input. */
	readonly question: (label: string) => Promise<string | undefined>;
};

/** How many choices are listed at once; a filter finds the others. */
const maxListed = 20;

/**
 * Creates a picker that works line by line: it prints a numbered list, and a number or a name selects. If the list is long
 * or has filters, any other text narrows it, and the list is printed again; an empty line cancels. Of a long list in groups
 * the first group is printed, because a screen reader would speak for minutes.
 */
export function createLineChoose({say, question}: Lines): Interaction['choose'] {
	return async ({title, choices: first, more = [], current, opensAt, filters}) => {
		// What is printed can't grow.
		const choices = [...first, ...(await Promise.all(more)).flat()];
		let filter = '';
		let isRepeated = false;
		const isNarrowed = filters !== undefined || choices.length > maxListed;
		for (;;) {
			const {found} = narrowChoices(choices, filter, {filters});
			const listed = isNarrowed ? firstOf(found, filter) : found;
			if (!isRepeated) {
				say(filter ? `${title}, ${filter}: ${found.length} of ${choices.length}` : title);
				const isKnown = filter === '' && opensAt !== undefined;
				sayNumbered(listed, say, {current, only: isKnown ? opensAt : undefined});
				const left = isKnown ? 0 : found.length - listed.length;
				if (left > 0) {
					say(`${left} more are not listed: type ${filters ? 'a filter' : 'a part of a name'}.`);
				}
			}

			const answer = (await question(labelFor(listed.length, filters !== undefined, isNarrowed)))?.trim();
			const chosen = listed[Number(answer) - 1] ?? (answer ? named(choices, answer) : undefined);
			if (chosen || !answer) {
				return chosen?.id;
			}

			isRepeated = !isNarrowed;
			if (isRepeated) {
				say(`“${answer}” isn't one of them. Press Enter to cancel.`);
				continue;
			}

			const {fault} = narrowChoices(choices, answer, {filters});
			if (fault !== undefined) {
				say(fault);
			}

			filter = fault === undefined ? answer : filter;
		}
	};
}

/** Returns the choices to print: those of the first group until something is typed, and never too many. */
function firstOf(found: readonly Choice[], filter: string): readonly Choice[] {
	const [first] = found;
	return found
		.filter(({group}) => filter !== '' || found.length <= maxListed || group === first?.group)
		.slice(0, maxListed);
}

/** Returns the choice of a name; letter case counts only between two names that differ by it. */
function named(choices: readonly Choice[], name: string): Choice | undefined {
	const wanted = name.toLowerCase();
	return (
		choices.find(({id, label}) => id === name || label === name) ??
		choices.find(({id, label}) => id.toLowerCase() === wanted || label.toLowerCase() === wanted)
	);
}

type Numbering = {
	/** The choice that is in effect. */
	readonly current?: string | undefined;
	/** The only choice to print, of a list that was just printed. */
	readonly only?: string | undefined;
};

/** Prints choices, numbered from 1. */
export function sayNumbered(choices: readonly Choice[], say: Lines['say'], {current, only}: Numbering = {}): void {
	for (const [index, {id, label, detail, group}] of choices.entries()) {
		if (only !== undefined && id !== only) {
			continue;
		}

		if (group !== undefined && group !== choices[index - 1]?.group) {
			say(group);
		}

		say(
			`${index + 1}. ${label}${id === current ? ', now' : ''}${detail ? `, ${detail.trim().replace(/ {2,}/g, ', ')}` : ''}`,
		);
	}
}

function labelFor(count: number, isFiltered: boolean, isNarrowed: boolean): string {
	if (count === 0) {
		return 'Nothing matches. Type another filter, or press Enter to cancel:';
	}

	const other = isFiltered ? ', or a filter such as kind:runtime' : isNarrowed ? ', or a part of a name' : '';
	return `Number, ${count === 1 ? '1' : `1 to ${count}`}, or name${other}:`;
}
