import type {Environment} from '../../core/environment.ts';

/** In UTF-8. The sequence stays below the 100,000 bytes that terminals accept. */
const maxCopyBytes = 74_000;

/** Characters of a string that GNU screen passes on at once. */
const screenChunk = 76;

/**
 * Returns the sequence that copies a text (OSC 52), '' for one that is too long. tmux gets it in two ways, as it depends on
 * its settings which one it accepts: for itself, and to pass on. GNU screen only passes it on, in short parts.
 */
export function copySequence(text: string, {TMUX, STY, TERM = ''}: Environment = {}): string {
	const bytes = Buffer.from(text, 'utf8');
	if (bytes.length > maxCopyBytes) {
		return '';
	}

	const copy = `\u001b]52;c;${bytes.toString('base64')}`;
	if (TMUX || TERM.startsWith('tmux')) {
		return `${copy}\u001b\\\u001bPtmux;\u001b${copy}\u0007\u001b\\`;
	}

	const parts = STY ? `${copy}\u0007`.match(new RegExp(`[^]{1,${screenChunk}}`, 'g')) : undefined;
	return parts ? parts.map(part => `\u001bP${part}\u001b\\`).join('') : `${copy}\u001b\\`;
}
