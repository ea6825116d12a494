import {expect} from 'vitest';

/** SGR, which colours text; with `NO_COLOR` not even that. */
const sgr = /\u001b\[[\d;:]*m/g;

/** What a screen reader can't say, or reads as noise: lines, blocks, spinners (Braille), and signs that begin a line. */
const drawn = /[\u2500-\u259f\u2800-\u28ff]|^\s*[❯✓✗■◌↺⇣ℹ└✻→] ?/mu;

/** Expects text that only grows: nothing moves the cursor, erases, or draws, and colours stand alone. */
export function expectSpoken(written: string, {color}: {readonly color: boolean}): void {
	const text = color ? written.replace(sgr, '') : written;
	expect(text).not.toMatch(/[\u0000-\u0006\u0008\u000b-\u001f\u007f-\u009f]/);
	expect(text).not.toMatch(drawn);
}
