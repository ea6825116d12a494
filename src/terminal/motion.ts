import type {Environment} from '../core/environment.ts';

/**
 * How often something that moves is drawn with reduced motion, in milliseconds. Signs that move come round in a half of it,
 * so that they stand still.
 */
export const stillStepMs = 4000;

/** True if little may move: the user wants it so, or each frame crosses a network (SSH) and they left it open. */
export function reducesMotion(motion: string, {SSH_CONNECTION, SSH_TTY}: Environment): boolean {
	return motion === 'reduced' || (motion === 'auto' && Boolean(SSH_CONNECTION || SSH_TTY));
}

/** Returns a time in milliseconds, in whole steps with reduced motion. */
export function steppedTime(timeMs: number, isStill: boolean): number {
	return isStill ? Math.floor(timeMs / stillStepMs) * stillStepMs : timeMs;
}
