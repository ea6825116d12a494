import {cutLine} from '../../core/cut-text.ts';
import {formatAmount} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import type {ClipboardSupport} from '../../terminal/clipboard.ts';
import {clipboardSupport, copyNote, plainCopy} from '../../terminal/clipboard.ts';
import {lexBlocks} from '../../terminal/markdown/markdown-lexer.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';
import {type Copyable, type CopyKind, nameOf} from './copy-kinds.ts';

/** Most texts of a kind that are offered. */
const most: Readonly<Record<CopyKind, number>> = {answer: 1, code: 20, command: 20, output: 20, message: 1};

/** Most blocks of a conversation that are searched, from its end. */
const maxBlocks = 500;

type Found = Pick<Copyable, 'kind' | 'about' | 'text'>;

/** Returns what can be copied: the newest first, and of one answer its last code block first. */
export function copyables(blocks: readonly Block[]): readonly Copyable[] {
	const counts = new Map<CopyKind, number>();
	const found: Copyable[] = [];
	for (const each of blocks.slice(-maxBlocks).toReversed().flatMap(textsOf)) {
		const number = (counts.get(each.kind) ?? 0) + 1;
		if (each.text.trim() !== '' && number <= most[each.kind]) {
			counts.set(each.kind, number);
			found.push({...each, number});
		}
	}

	return found;
}

/** Returns the texts of a block, the last one first. */
function textsOf(block: Block): readonly Found[] {
	switch (block.kind) {
		case 'text':
			return [{kind: 'answer', about: '', text: block.text}, ...codeOf(block.text).toReversed()];
		case 'user':
			return [{kind: 'message', about: '', text: block.text}];
		case 'command':
			return commandTexts(block.command, block.output);
		case 'tool': {
			const {command} = block.arguments;
			return block.name === 'run_command' && typeof command === 'string' ? commandTexts(command, block.output) : [];
		}
		default:
			return [];
	}
}

function commandTexts(command: string, output: string): readonly Found[] {
	return [
		{kind: 'command', about: '', text: command},
		{kind: 'output', about: cutLine(command, 40), text: output},
	];
}

type Token = {
	readonly type: string;
	readonly lang?: string;
	readonly text?: string;
	readonly tokens?: unknown;
	readonly items?: unknown;
};

/** Returns the code blocks of Markdown, also those in lists and quotes, in order. */
function codeOf(markdown: string): readonly Found[] {
	return /```|~~~|^(?: {4}|\t)/m.test(markdown) ? codeIn(lexBlocks(markdown) as readonly Token[]) : [];
}

function codeIn(tokens: readonly Token[]): readonly Found[] {
	return tokens.flatMap(({type, lang = '', text = '', tokens: inner, items}): readonly Found[] => {
		if (type === 'code') {
			return [{kind: 'code', about: /^[^\s{,]*/.exec(lang)?.[0] ?? '', text}];
		}

		const nested = type === 'list' ? items : type === 'list_item' || type === 'blockquote' ? inner : undefined;
		return Array.isArray(nested) ? codeIn(nested as readonly Token[]) : [];
	});
}

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
	const way = interact.copy?.(text);
	const file = way && support !== 'unknown' ? undefined : await keepCopy(`${text}\n`);
	const what = `${nameOf(found)}, ${formatAmount(text.split('\n').length, 'line')}`;
	return {
		kind: 'text',
		text: way ? copyNote(what, way) : `Saved ${what}, to ${file}.`,
		...(file !== undefined && {hint: way ? `If your terminal blocks this: ${file}` : whyNot(support)}),
		data: {
			kind: found.kind,
			number: found.number,
			clipboard: way !== undefined,
			file: file ?? null,
			bytes: Buffer.byteLength(text),
		},
	};
}

function whyNot(support: ClipboardSupport): string {
	return support === 'no'
		? "This terminal doesn't let programs copy."
		: "It's too long for the clipboard of a terminal.";
}
