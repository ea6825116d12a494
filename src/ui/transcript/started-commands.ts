import type {Block} from '../../core/session/block.ts';
import {callText} from '../../core/session/call-words.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';

/** Returns a sentence for each command that has begun to run: its result is written when it ends, which may take minutes. */
export function startedCommands(now: Pick<Transcript, 'open'>, before: Pick<Transcript, 'open'>): readonly string[] {
	if (now.open === before.open) {
		return [];
	}

	const running = (blocks: readonly Block[]) =>
		blocks.flatMap(block => (block.kind === 'tool' && block.status === 'running' && block.allowed ? [block] : []));
	const known = new Set(running(before.open).map(({id}) => id));
	return running(now.open).flatMap(({id, name, arguments: args}) =>
		name === 'run_command' && !known.has(id) ? [`Started: ${safeLine(callText(name, args))}`] : [],
	);
}
