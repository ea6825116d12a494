import {reset} from './ansi.ts';

/** Styles text; the outer of two roles continues after the inner one. Text may have several lines. */
export type Role = (text: string) => string;

export const plainRole: Role = text => text;

/** Returns what writes text in a style: the parameters of its SGR sequence, '' for ordinary text. */
export function sgr(codes: string): Role {
	if (codes === '') {
		return plainRole;
	}

	const open = `\u001B[${codes}m`;
	return text =>
		text.replace(/[^\n]+/g, line => {
			const inner = line.endsWith(reset) ? line.slice(0, -reset.length) : line;
			return open + (inner.includes(reset) ? inner.replaceAll(reset, reset + open) : inner) + reset;
		});
}

/** Returns what puts a mark before and behind text that isn't blank. */
export function marked(mark: string): Role {
	return text => (text.trim() ? mark + text + mark : text);
}
