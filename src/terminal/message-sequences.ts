import type {Environment} from '../core/environment.ts';

/** In UTF-8. The sequence stays below the 100,000 bytes that terminals accept. */
const maxCopyBytes = 74_000;
const maxNoticeCharacters = 200;

/** Returns the sequence that copies a text, '' for one that is too long. */
export function copySequence(text: string): string {
	const bytes = Buffer.from(text, 'utf8');
	return bytes.length > maxCopyBytes ? '' : `\u001b]52;c;${bytes.toString('base64')}\u001b\\`;
}

/**
 * Returns the sequence that shows a notification (OSC 9), '' for a terminal that isn't known to support it: others read it as
 * something else, or print it; a multiplexer doesn't pass it on.
 */
export function noticeSequence(text: string, {TERM, TERM_PROGRAM = '', TMUX}: Environment): string {
	const isShown = !TMUX && (['iTerm.app', 'WezTerm', 'ghostty'].includes(TERM_PROGRAM) || TERM === 'xterm-kitty');
	return isShown ? `\u001b]9;${noticeOf(text)}\u001b\\` : '';
}

/** Removes control characters, line ends and characters that change the direction of text. */
function noticeOf(text: string): string {
	const printable = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
	return [...printable].slice(0, maxNoticeCharacters).join('');
}
