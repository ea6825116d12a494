import type {PathIndex} from '../../core/fuzzy-paths.ts';
import {mentionOf} from '../../core/mention.ts';
import type {Interaction} from '../../platform/interaction.ts';

type Dependencies = {
	/** Lists the files that the agent may read. */
	readonly list: () => Promise<PathIndex>;
	readonly choose: Interaction['choose'];
};

/** Most files that are offered for one mention. */
const maxOffered = 9;

/** A mention that may be a part of a path: no log, image, resource or path from elsewhere. */
const typedMention = /(?<=^|\s)@([^\s"@:~/.][^\s":]*)/g;

/** Offers the files that mentions with a part of a path may mean. Returns the message with what the user selected. */
export async function completeMentions(message: string, {list, choose}: Dependencies): Promise<string> {
	const typed = [
		...new Set([...message.matchAll(typedMention)].map(([, part = '']) => part.replace(/[.,;!?)]+$/, ''))),
	];
	if (typed.length === 0) {
		return message;
	}

	const paths = await list();
	let completed = message;
	for (const part of typed) {
		const found = paths.search(part, maxOffered).filter(path => path.toLowerCase().includes(part.toLowerCase()));
		if (found.length === 0 || found.some(path => path === part || path === `${part}/`)) {
			continue;
		}

		const choices = found.map(path => ({id: path, label: path}));
		const chosen = await choose({title: `Which file is @${part}? Press Enter to leave it as it is.`, choices});
		completed = chosen === undefined ? completed : completed.replaceAll(`@${part}`, () => mentionOf(chosen));
	}

	return completed;
}
