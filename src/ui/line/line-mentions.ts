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
	const typed = new Set([...message.matchAll(typedMention)].map(([, word = '']) => partOf(word)));
	if (typed.size === 0) {
		return message;
	}

	const paths = await list();
	const selected = new Map<string, string>();
	for (const part of typed) {
		const found = paths.search(part, maxOffered).filter(path => path.toLowerCase().includes(part.toLowerCase()));
		if (found.length === 0 || found.some(path => path === part || path === `${part}/`)) {
			continue;
		}

		const choices = found.map(path => ({id: path, label: path}));
		const chosen = await choose({title: `Which file is @${part}? Press Enter to leave it as it is.`, choices});
		if (chosen !== undefined) {
			selected.set(part, mentionOf(chosen));
		}
	}

	return message.replaceAll(typedMention, (mention, word: string) => {
		const part = partOf(word);
		return (selected.get(part) ?? `@${part}`) + mention.slice(part.length + 1);
	});
}

/** Returns a word without the punctuation of its sentence. */
function partOf(word: string): string {
	return word.replace(/[.,;!?)]+$/, '');
}
