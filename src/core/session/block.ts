import type {JsonObject} from '../json.ts';
import type {CallWords} from './call-words.ts';
import type {
	AgentEvent,
	EventOf,
	FileChange,
	Opaque,
	RunEndReason,
	ShownImage,
	StopReason,
	ToolFacts,
} from './event.ts';
import type {Attachment} from './user-events.ts';

export type Spoken = {readonly id: string; readonly messageId: string; readonly text: string; readonly opaque?: Opaque};

/** Who allowed a call: `user`, `mode`, `flag`, `read-only`, or rules. */
export type AllowedBy = Pick<Extract<AgentEvent, {type: 'approval-answer'}>, 'by' | 'rules'>;

type ToolStatus = 'running' | 'asking' | 'done' | 'failed' | 'interrupted';

/** One thing to draw, in the order in which it happened. `open` is true while it may still change. */
export type Block =
	| {
			readonly kind: 'user';
			readonly id: string;
			readonly text: string;
			/** Ids of the commands whose output it carries. */
			readonly commands?: readonly string[];
			/** The date that it brings to the model. */
			readonly date?: string;
			readonly open: false;
	  }
	/** A command that the user ran. */
	| {
			readonly kind: 'command';
			readonly id: string;
			readonly command: string;
			readonly status: 'running' | 'done' | 'failed' | 'interrupted';
			/** The end of its output so far, then the output that the model reads. */
			readonly output: string;
			/** How parts of the output are drawn, as `recordedStyles` writes it. */
			readonly styles?: string | undefined;
			/** How it ended, in words; empty until then. */
			readonly end: string;
			readonly milliseconds: number | undefined;
			readonly open: boolean;
			readonly at: string;
	  }
	/** What was attached to the message of the user with the id `message`. */
	| (Attachment & {readonly kind: 'attachment'; readonly message: string; readonly open: false})
	| (Spoken & {
			readonly kind: 'text' | 'reasoning';
			readonly model: string;
			readonly open: boolean;
			/** When it began and ended, as ISO 8601. */
			readonly at: string;
			readonly endedAt: string | undefined;
	  })
	| {
			readonly kind: 'tool';
			readonly id: string;
			readonly messageId: string;
			readonly model: string;
			readonly name: string;
			readonly arguments: JsonObject;
			/** The call in words, if its tool said them. */
			readonly words?: CallWords;
			readonly opaque?: Opaque;
			readonly status: ToolStatus;
			/** Who allowed it, once that is answered: as in `approval-answer`. */
			readonly allowed?: AllowedBy;
			/** True if the user refused it, or the last thing that it asked for. */
			readonly isRefused?: boolean;
			/** The end of its output so far, then the result that the model reads. */
			readonly output: string;
			/** How parts of the output are drawn, as `recordedStyles` writes it. */
			readonly styles?: string | undefined;
			/** Its duration in milliseconds, without waits for the user; undefined until it ended. */
			readonly milliseconds: number | undefined;
			/** When it asked the user, as ISO 8601, while it waits. */
			readonly askedAt?: string | undefined;
			/** How long it has waited since `at`, in milliseconds: for the user, or for a call before it. */
			readonly waitedMs?: number;
			/** The change of a file that it has written. */
			readonly change?: FileChange;
			/** What the tool knows of its result; undefined until it ended, and if it says nothing. */
			readonly facts?: ToolFacts;
			/** The images that the model was shown. */
			readonly images?: readonly ShownImage[];
			/** The conversation of the sub-agent that it started. */
			readonly task?: TaskBlocks;
			readonly open: boolean;
			readonly at: string;
	  }
	| {
			readonly kind: 'notice';
			readonly level: 'info' | 'warning' | 'error';
			readonly text: string;
			readonly hint: string | undefined;
			/** When the wait that it is about ends, in milliseconds since 1970. */
			readonly until?: number;
			readonly open: false;
	  }
	/** The user took changes of files back. `paths` names the first of `count` files. */
	| {
			readonly kind: 'restore';
			readonly id: string;
			readonly how: Extract<AgentEvent, {type: 'restore'}>['how'];
			readonly paths: readonly string[];
			readonly count: number;
			readonly open: false;
	  }
	| (Omit<Extract<AgentEvent, {type: 'compaction'}>, 'type'> & {
			readonly kind: 'compaction';
			/** Where the era before it begins, if it keeps messages of that. */
			readonly eraBefore?: number;
			readonly open: false;
	  })
	| {
			readonly kind: 'end';
			readonly reason: RunEndReason;
			readonly text: string;
			readonly hint: string | undefined;
			/** True if the run ended because the conversation did not fit into the context window. */
			readonly refused?: boolean;
			readonly open: false;
	  };

/** The conversation of a sub-agent, as it is shown below the call that started it. */
export type TaskBlocks = {
	readonly settled: readonly Block[];
	readonly open: readonly Block[];
	/** The calls of its tools so far. */
	readonly calls: number;
	/** The tokens of all its requests and answers so far. */
	readonly tokens: number;
	/** The call that runs, in words; empty if none does. Untrusted. */
	readonly doing: string;
};

/** Returns true for a tool that waits for the user: for an approval, or for an answer. */
export function isWaitingForUser({name, status}: Extract<Block, {kind: 'tool'}>): boolean {
	return status === 'asking' || (status === 'running' && name === 'ask_user');
}

/** The notice for an answer whose stream stopped without the vendor's end mark (SAFETY 22). */
export const brokenOff = 'The answer is incomplete: the connection ended before the model did.';

/** Returns the notice for a run that was cut short; empty for one that ended normally. */
export function endText(reason: RunEndReason, message: string | undefined, stopReason: StopReason): string {
	switch (reason) {
		case 'done':
			return message ?? doneText(stopReason);
		case 'interrupted':
			return 'Interrupted.';
		case 'error':
			return message ?? 'The run failed.';
		case 'budget':
			return message ?? 'The budget of this run is used up.';
		case 'incomplete':
			return message ?? brokenOff;
		default:
			return reason satisfies never;
	}
}

function doneText(stopReason: StopReason): string {
	switch (stopReason) {
		case 'refusal':
			return 'The model declined to answer.';
		case 'max_tokens':
			return 'The answer was cut at the token limit.';
		default:
			return '';
	}
}

/** Returns the final state of a block that gets no more events: a tool without a result was interrupted (SAFETY 17). */
export function endBlock(block: Block, at: string): Block {
	switch (block.kind) {
		case 'text':
		case 'reasoning':
			return {...block, open: false, endedAt: at};
		case 'tool':
		case 'command':
			return {...block, open: false, status: 'interrupted'};
		default:
			return block;
	}
}

export type ToolBlock = Extract<Block, {kind: 'tool'}>;

/** Returns who allowed a call, or that the user refused it, once that is answered. */
export function allowedBy({allowed, by, rules}: Extract<AgentEvent, {type: 'approval-answer'}>): Partial<ToolBlock> {
	return !allowed && by === 'user'
		? {isRefused: true}
		: allowed && by !== undefined
			? {allowed: {by, ...(rules && {rules})}, isRefused: false}
			: {};
}

/** Returns what a result changes about its call. */
export function endedTool({
	output,
	styles,
	milliseconds,
	failed,
	change,
	images,
	facts,
}: EventOf<'tool-result'>): Partial<ToolBlock> {
	const status = failed ? 'failed' : 'done';
	const reported = {...(change && {change}), ...(images && {images}), ...(facts && {facts})};
	return {output, styles, milliseconds, status, open: false, ...reported};
}

/** A command that the user ran. */
export type CommandBlock = Extract<Block, {kind: 'command'}>;

/** Returns the block of what the user adds: a message, an attachment of it, or a command of their own. */
export function userBlock(event: EventOf<'user-message' | 'attachment' | 'user-command'>, at: string): Block {
	switch (event.type) {
		case 'user-message': {
			const {id, text, commands, date} = event;
			return {kind: 'user', id, text, ...(commands && {commands}), ...(date && {date}), open: false};
		}
		case 'attachment': {
			const {type: kind, id: message, ...attachment} = event;
			return {kind, message, ...attachment, open: false};
		}
		default: {
			const {id, command} = event;
			const running = {status: 'running', output: '', end: '', milliseconds: undefined, open: true} as const;
			return {kind: 'command', id, command, at, ...running};
		}
	}
}

/** Returns what the end of a command changes about it. */
export function endedCommand({
	output,
	styles,
	end,
	status,
	milliseconds,
}: EventOf<'user-command-end'>): Partial<CommandBlock> {
	return {output, styles, end, milliseconds, status, open: false};
}
