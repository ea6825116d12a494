import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import type {BroughtBack} from '../src/command/handoff/bring-back.ts';
import {type Result, unchanged} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'handoff',
	summary: 'Move a session to a host with its repository, or back',
	args: z.object({
		place: z.optional(z.string()),
		session: z.optional(z.string()),
		back: z._default(z.boolean(), false),
		secrets: z._default(z.boolean(), false),
		keep: z._default(z.boolean(), false),
	}),
	positional: ['place'],
	describe: {
		place: 'user@machine, through ssh, or the URL of a host; the host of this machine by default',
		session: 'id or a unique prefix; the session on screen, or the latest of this folder, by default',
		back: 'bring a session of the host to this folder',
		secrets: 'include changed files whose names suggest secrets',
		keep: 'continue a session here whose other place is gone for good',
	},
	examples: [
		'handoff',
		'handoff user@machine',
		'handoff user@machine --back --session 3f2a',
		'handoff --keep --session 3f2a',
	],

	async run(given, context) {
		const {hosted} = context.program.session;
		if (given.keep) {
			return keep(given, context);
		}

		if (!hosted) {
			return given.back ? back(given, context) : over(given, context);
		}

		if (given.place !== undefined || given.session !== undefined) {
			throw new AppError('usage', 'From here, this session moves to this machine only.', {hint: 'Type `/handoff`.'});
		}

		const {remote, transcript} = context.program.store.getState();
		const {bringBack} = await import('../src/command/handoff/bring-back.ts');
		const from = remote?.name ?? 'the host';
		const wish = {ask: hosted.ask, from, session: transcript.session, here: hosted.here, withSecrets: given.secrets};
		return here(await bringBack(wish, context), from, true);
	},
});

type Given = {
	readonly place?: string | undefined;
	readonly session?: string | undefined;
	readonly back: boolean;
	readonly secrets: boolean;
	readonly keep: boolean;
};

async function over({place, session, secrets: withSecrets}: Given, context: CommandContext): Promise<Result> {
	const {
		program,
		ui: {live},
	} = context;
	const [{withHandoffPlace}, {handOver}, {backHint}] = await Promise.all([
		import('../src/command/handoff/handoff-place.ts'),
		import('../src/command/handoff/hand-over.ts'),
		import('../src/session/settle-handoff.ts'),
	]);
	const isOnScreen = live !== undefined && (session === undefined || isCurrent(session, context));
	const file = isOnScreen ? undefined : await program.session.saved.findOrLatest(session);
	return withHandoffPlace(place, context, async target => {
		const handed = await handOver({place: target, session: file, withSecrets}, context);
		if (!handed) {
			return unchanged;
		}

		const {key, folder, notices} = handed;
		if (isOnScreen) {
			return {kind: 'panel', panel: {show: 'attach', session: key, at: target.reached, observes: false}};
		}

		const hint = backHint({key, at: target.at});
		return {
			kind: 'text',
			text: [`The session continues at ${target.to}, in ${folder}.`, ...notices].join(' '),
			...(hint && {hint}),
			data: {session: key, to: target.to, at: target.at, folder, notices},
		};
	});
}

async function keep({place, session, back: isBack}: Given, context: CommandContext): Promise<Result> {
	if (place !== undefined || isBack || context.program.session.hosted) {
		throw new AppError('usage', '`--keep` is for a saved session of this machine.', {
			hint: 'Name it alone: `handoff --keep --session <id>`',
		});
	}

	const file = await context.program.session.saved.findOrLatest(session);
	const {keepHere} = await import('../src/command/handoff/keep-here.ts');
	return (await keepHere(file, context))
		? {
				kind: 'text',
				text: `Session ${file.id.slice(0, 8)} continues here.`,
				hint: `Resume it: \`resume ${file.id.slice(0, 8)}\``,
				data: {session: file.id},
			}
		: unchanged;
}

function isCurrent(session: string, {program: {store}}: CommandContext): boolean {
	return store.getState().transcript.session.startsWith(session.trim().toLowerCase());
}

async function back({place, session, secrets: withSecrets}: Given, context: CommandContext): Promise<Result> {
	if (session === undefined) {
		throw new AppError('usage', 'Which session of the host?', {
			hint: 'List them: `attach`. Then pass `--session <id>`.',
		});
	}

	const [{withHandoffPlace}, {bringBack}] = await Promise.all([
		import('../src/command/handoff/handoff-place.ts'),
		import('../src/command/handoff/bring-back.ts'),
	]);
	const folder = context.program.project.folder.path();
	return withHandoffPlace(place, context, async ({ask, to}) =>
		here(await bringBack({ask, from: to, session, here: folder, withSecrets}, context), to, false),
	);
}

function here(brought: BroughtBack | undefined, from: string, isAttached: boolean): Result {
	if (!brought) {
		return unchanged;
	}

	const {id, folder} = brought;
	return isAttached
		? {kind: 'panel', panel: {show: 'attach', session: id, at: undefined, observes: false, isHere: true}}
		: {
				kind: 'text',
				text: `The session of ${from} continues here, in ${folder}.`,
				hint: `Resume it: \`resume ${id.slice(0, 8)}\``,
				data: {session: id, from, folder},
			};
}
