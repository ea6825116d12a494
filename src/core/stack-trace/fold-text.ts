import {formatAmount} from '../format.ts';

/** Returns what stands for folded frames of a stack trace, wherever one is shown. */
export function foldText(frames: number): string {
	return `    … ${formatAmount(frames, 'frame')}`;
}
