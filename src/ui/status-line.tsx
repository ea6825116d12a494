import {memo, useMemo} from 'react';
import type {AgentCommand} from '../agent/external/agent-command.ts';
import type {AgentView} from '../agent/external/external-session.ts';
import {formatAmount, formatCount, formatElapsed, formatRemaining, formatUsd} from '../core/format.ts';
import {compactedTokens, windowAfter} from '../core/session/compaction.ts';
import type {Transcript} from '../core/session/transcript.ts';
import {totalCost} from '../core/session/usage.ts';
import {type Connection, effortOf} from '../store/connection-slice.ts';
import type {RemoteHost} from '../store/session-slice.ts';
import type {AppState} from '../store/store.ts';
import {fitParts, type RankedPart} from '../terminal/text/fit-parts.ts';
import {plainRole} from '../terminal/text/role.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {type Activity, activityOf} from './attention/attention-text.ts';
import {useApp, useUi} from './context.ts';
import {Text} from './ink.ts';
import {modeRole} from './prompt/approval-mode.ts';
import {useCountdown, useTimes} from './use-elapsed.ts';

type Props = {
	/** How long the run, or else the command, has taken. */
	readonly elapsedMs: number;
	/** How long its model has written nothing; 0 if that is not worth a word. */
	readonly silentMs: number;
	/** In how much time the model is asked again; 0 if nothing waits for that. */
	readonly retryMs?: number;
};

/** Draws the status, with the times of the run or of the command. */
export const Status = memo(function Status() {
	const run = useApp(state => state.transcript.run);
	const command = useApp(state => (state.busy && !state.panel ? state.command : undefined));
	const began = useMemo(() => (command === undefined ? undefined : new Date().toISOString()), [command]);
	return <StatusLine {...useTimes(run?.startedAt ?? began, run?.id)} />;
});

/** Draws the status: connection, model, activity, context and cost, and what needs attention. The rest is in `/usage`. */
export function StatusLine({elapsedMs, silentMs, retryMs = 0}: Props) {
	const {palette} = useUi();
	const {columns} = useApp(state => state.size);
	const connection = useApp(state => state.connection);
	const model = useApp(state => state.model);
	const effort = useApp(state => effortOf(state, state.model));
	const agent = useApp(state => state.agent);
	const agentView = useApp(state => state.agentView);
	const run = useApp(state => state.transcript.run);
	const activity = useApp(activityOf);
	const isStopping = useApp(state => state.isStopping);
	const command = useApp(state => state.command);
	const unsaved = useApp(state => state.unsaved);
	const usage = useApp(state => state.transcript.usage);
	const compacted = useApp(state => compactedTokens(state.transcript));
	const priceOf = useApp(state => state.priceOf);
	const infoOf = useApp(state => state.infoOf);
	const mode = useApp(state => state.approvalMode);
	const remote = useApp(state => state.remote);
	const watches = useApp(state => state.watches.length);
	const trouble = useApp(state => state.watches.find(watch => !isWatching.test(watch.state))?.state);
	const expiresAt = useApp(({sandboxes}) => sandboxes.find(({server}) => server === connection.server)?.expiresAt);
	const jobs = useApp(state => state.jobs);
	const drafts = useApp(state => state.stash.length);
	const leftMs = useCountdown(expiresAt);
	const vim = useApp(state => state.vim?.state);
	const used = useMemo(() => usageParts(usage, compacted, {priceOf, infoOf}), [usage, compacted, priceOf, infoOf]);

	const time = elapsedMs < 1000 ? '' : ` ${formatElapsed(elapsedMs)}`;
	const doing = run ? (isStopping ? 'stopping' : 'working') : commandText(command);
	const parts: readonly Part[] = [
		...(vim
			? [{text: [vim.mode.toUpperCase(), ...vim.pending].join(' '), role: palette.accent, name: 'vim'} as const]
			: []),
		{
			text: connectionText(connection),
			role: connection.state === 'failed' ? palette.danger : palette.dim,
			name: 'connection',
		},
		// Until the configuration is read the model is unknown, not missing.
		...(agent
			? [{text: agentText(agent, agentView), role: palette.dim, name: 'model'} as const]
			: model || connection.state !== 'starting'
				? [{text: modelText(model, effort), role: model ? palette.dim : palette.warning, name: 'model'} as const]
				: []),
		statePart(activity, `${doing}${time}`, run ? palette.accent : plainRole, palette),
		...(run && silentMs + retryMs > 0
			? [{text: silenceText(silentMs, retryMs), role: palette.warning, name: 'silence'} as const]
			: []),
		...(mode === 'ask' ? [] : [{text: `${mode} mode`, role: modeRole(mode, palette), name: 'mode'} as const]),
		...(remote ? [remotePart(remote, palette)] : []),
		...(watches > 0 ? [watchPart(watches, trouble, palette)] : []),
		...(jobs > 0 ? [{text: formatAmount(jobs, 'job'), role: palette.accent, name: 'jobs'} as const] : []),
		...(drafts > 0
			? [{text: `${formatAmount(drafts, 'draft')} stashed`, role: palette.accent, name: 'drafts'} as const]
			: []),
		...(leftMs > 0 ? [sandboxPart(leftMs, palette)] : []),
		...(unsaved ? [{text: `not saved: ${safeLine(unsaved)}`, role: palette.danger, name: 'unsaved'} as const] : []),
		...(agent && agentView?.window
			? [
					{
						text: `context ${Math.round((100 * agentView.window.used) / Math.max(1, agentView.window.size))}%`,
						role: palette.dim,
						name: 'context',
					} as const,
				]
			: []),
		...used.filter(({name}) => !agent || name !== 'context').map(part => ({...part, role: palette.dim})),
	];
	return <Text wrap="truncate">{fitParts(ranked(parts), columns, palette.dim(' · '))}</Text>;
}

type Part = {
	readonly text: string;
	readonly role: (text: string) => string;
	readonly name: (typeof byImportance)[number];
};

/** The parts from the most important one; in a narrow window the last ones are left out first. */
const byImportance = [
	'unsaved',
	// These change what a key does, or can cost money on their own.
	...(['vim', 'mode', 'host', 'watching', 'jobs', 'state', 'silence', 'ending sandbox'] as const),
	...(['drafts', 'cost', 'model', 'context', 'connection', 'sandbox'] as const),
] as const;

/** The fewest cells that texts of any length are cut to before another part is left out. */
const leastCells: {readonly [name in Part['name']]?: number} = {unsaved: 24, model: 16, connection: 16};

/** Returns the parts with their places among all by importance. */
export function ranked(parts: readonly Part[]): readonly RankedPart[] {
	return parts.map(part => ({...part, rank: byImportance.indexOf(part.name), least: leastCells[part.name]}));
}

/** Returns what the app does; `doing` is what works if something does, and how that is drawn. */
function statePart(activity: Activity, doing: string, role: Part['role'], palette: Palette): Part {
	const states: {readonly [activity in Activity]: Omit<Part, 'name'>} = {
		'needs you': {text: '● waiting for you', role: palette.warning},
		working: {text: `● ${doing}`, role},
		idle: {text: '○ idle', role: palette.dim},
	};
	return {...states[activity], name: 'state'};
}

/** How long a silence is ordinary, as of a model that thinks. */
const ordinarySilenceMs = 30_000;

function silenceText(silentMs: number, retryMs: number): string {
	if (retryMs > 0) {
		return `retrying in ${formatElapsed(retryMs)}`;
	}

	const text = `no output for ${formatElapsed(silentMs)}`;
	return silentMs < ordinarySilenceMs ? text : `${text}, Esc to interrupt`;
}

/** A slower answer of the host is worth a word. */
const ordinaryLagMs = 100;

/** Returns whose session it is, who drives it, and how far away it is. */
function remotePart({name, state, lagMs = 0, seat}: RemoteHost, palette: Palette): Part {
	const lag = lagMs > ordinaryLagMs ? ` ${Math.round(lagMs)} ms` : '';
	const text = `@${safeLine(name)}${lag}${seat ? `, ${safeLine(seat)}` : ''}`;
	return state === 'connected'
		? {text, role: seat ? palette.warning : palette.accent, name: 'host'}
		: {text: `${text} ${state === 'closed' ? 'gone' : 'reconnecting'}`, role: palette.danger, name: 'host'};
}

/** Returns how a command that works is named; it may have no name. */
function commandText(command: string): string {
	return command ? `${command === '!' ? '' : '/'}${safeLine(command)}` : 'busy';
}

/** Returns an agent of another maker with its model and its mode. */
function agentText({name}: AgentCommand, view: AgentView | undefined): string {
	const model = view?.options.find(({category}) => category === 'model')?.value;
	const mode = view?.modes.find(({value}) => value === view.mode)?.name;
	const state = view?.state === 'starting' ? 'starting…' : undefined;
	return safeLine([name, model, mode && `(${mode})`, state].filter(Boolean).join(' '));
}

/** Returns the model with its reasoning effort. */
function modelText(model: string | undefined, effort: string | undefined): string {
	return model && effort ? `${safeLine(model)} ${effort}` : safeLine(model ?? 'no model');
}

function connectionText({profile, server, state}: Connection): string {
	const name = safeLine(profile);
	switch (state) {
		case 'starting':
			return `${name} starting…`;
		case 'failed':
			return `${name} not connected`;
		default: {
			const host = server.replace(/^https?:\/\//, '');
			return host === profile || profile === 'local' ? name : `${name} (${safeLine(host)})`;
		}
	}
}

/** States in which a watched log is read, or will be in a moment. */
const isWatching = /^(?:connecting|live|gap)/;

/** Returns the number of watches, and in a word or two why one of them sees nothing. */
function watchPart(count: number, trouble: string | undefined, palette: Palette): Part {
	const text = count === 1 ? 'watching' : `watching ${count}`;
	return trouble === undefined
		? {text, role: palette.accent, name: 'watching'}
		: {text: `${text}: ${trouble.split(/: | in | \d/, 1)[0]}`, role: palette.warning, name: 'watching'};
}

/** Returns the time until the next sandbox expires: in minutes, or in seconds if it is soon. */
function sandboxPart(leftMs: number, palette: Palette): Part {
	const isSoon = leftMs <= 5 * 60_000;
	const text = formatRemaining(leftMs);
	return isSoon
		? {text: `sandbox ends in ${text}`, role: palette.warning, name: 'ending sandbox'}
		: {text: `sandbox ${text}`, role: palette.dim, name: 'sandbox'};
}

function usageParts(
	usage: Transcript['usage'],
	compacted: number,
	{priceOf, infoOf}: Pick<AppState, 'priceOf' | 'infoOf'>,
): readonly Omit<Part, 'role'>[] {
	const messages = [...usage.values()];
	const last = messages.at(-1);
	if (!last) {
		return [];
	}

	const used = windowAfter(usage, compacted);
	const room = infoOf(last.model)?.contextWindow;
	const share = room ? `${Math.round((100 * used) / room)}%` : formatCount(used);
	const cost = totalCost(messages, priceOf);
	return [
		{text: `context ${share}`, name: 'context'},
		// That it is unknown stands in `/usage`, with what to do about it.
		...(cost === null ? [] : [{text: formatUsd(cost), name: 'cost'} as const]),
	];
}
