import type {Interaction} from '../../platform/interaction.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {narrowChoices} from './picker-filter.ts';

type Dependencies = {
	readonly say: (text: string) => void;
	/** One line of the person's, undefined at the end of input. */
	readonly question: (label: string) => Promise<string | undefined>;
};

/** How many choices are read out at a time; a filter finds the others. */
const mostRead = 20;

/**
 * Creates a picker that works line by line: a numbered list, and a number or a name that selects. Where the list has filters, anything
 * else narrows it, and the list is read again; an empty line cancels.
 */
export function createLineChoose({say, question}: Dependencies): Interaction['choose'] {
	return async ({title, choices, filters}) => {
		let filter = '';
		for (;;) {
			const {found} = narrowChoices(choices, filter, {filters});
			const read = filters ? found.slice(0, mostRead) : found;
			say(safeLine(filter ? `${title}, ${filter}: ${found.length} of ${choices.length}` : title));
			for (const [index, {label, detail}] of read.entries()) {
				say(`${index + 1}. ${safeLine(label)}${detail ? `, ${safeLine(detail)}` : ''}`);
			}

			if (read.length < found.length) {
				say(`${found.length - read.length} more are not listed: type a filter.`);
			}

			const answer = (await question(labelFor(read.length, filters !== undefined)))?.trim();
			const named = choices.find(({id, label}) => id === answer || label === answer);
			const chosen = read[Number(answer) - 1] ?? named;
			if (chosen || !answer || !filters) {
				return chosen?.id;
			}

			const {fault} = narrowChoices(choices, answer, {filters});
			if (fault !== undefined) {
				say(safeLine(fault));
			}

			filter = fault === undefined ? answer : filter;
		}
	};
}

function labelFor(count: number, isFiltered: boolean): string {
	if (count === 0) {
		return 'Nothing matches. Type another filter, or press Enter to cancel:';
	}

	return `Number, 1 to ${count}, or name${isFiltered ? ', or a filter such as kind:runtime' : ''}:`;
}
