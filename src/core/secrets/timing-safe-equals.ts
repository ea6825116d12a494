import {createHash, timingSafeEqual} from 'node:crypto';

/** Returns whether two texts are equal, in a time that doesn't tell where they differ, or how long either is. */
export function timingSafeEquals(given: string, expected: string): boolean {
	const [left, right] = [given, expected].map(text => createHash('sha256').update(text).digest());
	return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
