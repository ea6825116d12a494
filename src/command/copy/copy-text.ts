import {formatAmount} from '../../core/format.ts';
import {clipboardSupport, plainCopy} from '../../terminal/clipboard.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';
import {type Copyable, nameOf} from './copy-kinds.ts';

/** Longest text that is copied or kept, in UTF-16 units. */
const maxLength = 8 * 1024 * 1024;

/**
 * Copies a text to the clipboard of the terminal, without escape sequences. Where the terminal may not copy, the text is kept
 * in a private file, too. Returns which of the two happened. Throws as `keepCopy` does.
 */
export async function copied(found: Copyable, context: CommandContext): Promise<Result> {
	const {
		program: {
			local: {env},
			files: {keepCopy},
		},
		ui: {interact},
	} = context;
	const text = plainCopy(found.text.slice(0, maxLength));
	const support = interact.copy ? clipboardSupport(env) : 'no';
	const isSent = support !== 'no' && (interact.copy?.(text) ?? false);
	const file = isSent && support !== 'unknown' ? undefined : await keepCopy(`${text}\n`);
	const what = `${nameOf(found)}, ${formatAmount(text.split('\n').length, 'line')}`;
	return {
		kind: 'text',
		text: isSent ? `Copied ${what}${support === 'tmux' ? ' (through tmux)' : ''}.` : `Saved ${what}, to ${file}.`,
		...(file !== undefined && {hint: isSent ? `If your terminal blocks this: ${file}` : whyNot(support)}),
		data: {
			kind: found.kind,
			number: found.number,
			clipboard: isSent,
			file: file ?? null,
			bytes: Buffer.byteLength(text),
		},
	};
}

function whyNot(support: ReturnType<typeof clipboardSupport>): string {
	return support === 'no'
		? "This terminal doesn't let programs copy."
		: "It's too long for the clipboard of a terminal.";
}
