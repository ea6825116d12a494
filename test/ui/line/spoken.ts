import {expect} from 'vitest';

/** What a screen reader can't say, or reads as noise: lines, blocks, spinners (Braille), and signs that begin a line. */
const drawn = /[\u2500-\u259f\u2800-\u28ff]|^\s*[❯✓✗■◌↺⇣ℹ└✻→] ?/mu;

/**
 * Expects text that only grows: nothing moves the cursor, erases, or draws. There is no colour either: screen readers, such
 * as yasr, stop in the middle of a sentence where it changes.
 */
export function expectSpoken(text: string): void {
	expect(text).not.toMatch(/[\u0000-\u0006\u0008\u000b-\u001f\u007f-\u009f]/);
	expect(text).not.toMatch(drawn);
}
