import * as z from 'zod/mini';
import {wholeNumber} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {AppError} from '../src/core/error.ts';
import {allLogs} from '../src/store/logs-slice.ts';
import type {AppState} from '../src/store/store.ts';
import {readCondition, readInterval} from '../src/watch/watch-condition.ts';

const usualTurns = 6;

const mostTurns = 60;

const start = command({
	name: 'start',
	summary: 'Notify you, or ask the agent, when log lines match',
	args: z.object({
		condition: z.optional(z.string()),
		environment: z.optional(z.string()),
		every: z._default(z.string(), '1m'),
		notify: z.optional(z.boolean()),
		ask: z.optional(z.string()),
		turns: z.optional(wholeNumber),
	}),
	positional: ['condition', 'environment'],
	describe: {
		condition: 'a regular expression, level>=error, or both with | between them; omit it to list the watches',
		environment: 'its id or a unique prefix; defaults to the log in front, or the latest one',
		every: 'minimum time between two reports, such as 30s, 1m or 2h',
		notify: 'notify you (the default)',
		ask: 'send the agent this prompt with the matching lines',
		turns: `maximum agent turns per hour (default ${usualTurns})`,
	},
	completes: {environment: 'environment'},
	examples: [
		'watch start "timed? out|level>=error" 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'watch start "level>=error" 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --ask "What went wrong?" --every 5m --turns 3',
	],
	whileRunning: true,
	where: 'app',

	async run(
		{condition: text, environment: given, every: interval, notify = false, ask, turns: perHour = usualTurns},
		{program, ui: {interact}, signal},
	) {
		const {costFacts, watchesResult, watchResult} = await import('../src/command/views/watch-view.ts');
		if (text === undefined) {
			return watchesResult(program.store.getState().watches);
		}

		const condition = readCondition(text);
		const every = readInterval('every', interval);
		checkAsk(ask, notify, perHour);
		const {server, profile, logOf, environment: pathOf} = await program.servers.open();
		const {environmentId: environment} = await pathOf(given ?? likely(program.store.getState()), signal);
		const source = logOf(environment);
		// Fails here if the environment doesn't exist, not in a watch that ends at once.
		await source({}, signal);
		if (ask !== undefined) {
			const facts = costFacts({every, perHour}, program.store.getState());
			const about = {title: 'This watch can prompt the agent automatically', facts};
			if (!(await interact.confirm('Allow it?', about))) {
				return {kind: 'text', text: 'Watch not started.', data: null};
			}
		}

		const watch = program.watches.logs.start({condition, source, environment, server, profile, every, ask, perHour});
		const log = program.store.getState().logs.find(open => open.environment === environment && open.server === server);
		return watchResult(watch, log?.title);
	},
});

function checkAsk(ask: string | undefined, notify: boolean, turns: number): void {
	if (ask !== undefined && (notify || !ask.trim())) {
		const message = notify ? "--ask and --notify can't be combined." : '--ask needs a prompt.';
		throw new AppError('usage', message, {hint: 'Pass --ask "prompt", or neither to be notified.'});
	}

	if (turns < 1 || turns > mostTurns) {
		throw new AppError('usage', `--turns takes a number from 1 to ${mostTurns}.`);
	}
}

/** Returns the environment that the user most likely means: the log in front, else the latest one. */
function likely({logFocus, valuesOf}: AppState): string {
	const found = logFocus && logFocus !== allLogs ? logFocus : valuesOf('environment')[0];
	if (!found) {
		throw new AppError('usage', 'No sandbox given.', {
			hint: 'Pass its id after the condition. Create one: `env create <task>`',
		});
	}

	return found;
}

const stop = command({
	name: 'stop',
	summary: 'Stop a watch, or all of them',
	args: z.object({number: z.optional(wholeNumber), all: z.optional(z.boolean())}),
	positional: ['number'],
	describe: {number: 'its number, as /watch shows it', all: 'stop all'},
	examples: ['watch stop --all'],
	whileRunning: true,
	where: 'app',

	run({number, all = false}, {program}) {
		const on = program.store.getState().watches;
		const [only] = on;
		if (all || (number === undefined && on.length < 2)) {
			for (const watch of on) {
				program.watches.logs.stop(watch.number);
			}

			const text =
				on.length === 0
					? 'No active watches.'
					: on.length === 1
						? `Stopped watch ${only?.number}.`
						: `Stopped all ${on.length} watches.`;
			return {kind: 'text', text, data: on.map(watch => watch.number)};
		}

		if (number === undefined) {
			throw new AppError('usage', 'Several watches are active.', {hint: 'Pass a number or --all. List them: /watch'});
		}

		if (!program.watches.logs.stop(number)) {
			throw new AppError('not-found', `Watch ${number} not found.`, {hint: 'List them: /watch'});
		}

		return {kind: 'text', text: `Stopped watch ${number}.`, data: [number]};
	},
});

export default noun({name: 'watch', summary: 'Watches on logs', verbs: [start, stop], fallback: 'start'});
