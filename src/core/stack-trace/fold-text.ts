import {formatAmount} from '../format.ts';

/** Returns what stands for folded frames of a stack trace on every screen. */
export function foldText(frames: number): string {
	return `    … ${formatAmount(frames, 'frame')}`;
}
