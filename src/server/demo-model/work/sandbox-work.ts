import {uuidSource} from '../../../core/uuid.ts';
import type {IntendedCall} from '../intent.ts';

const sandbox = new RegExp(String.raw`\bsandbox (${uuidSource})\b`, 'i');

/** Returns the id of the sandbox that a task's prompt names, or undefined. */
export function sandboxIn(prompt: string): string | undefined {
	return sandbox.exec(prompt)?.[1];
}

/** Returns the call that reads the end of the log of a sandbox; none for an unknown one. */
export function readLogOf(environment: string | undefined): readonly IntendedCall[] {
	return environment === undefined ? [] : [{name: 'environment_logs', arguments: {environment, lines: 20}}];
}
