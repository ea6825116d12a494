import {createHash} from 'node:crypto';
import {AppError} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {mcpName} from '../../core/session/call-words.ts';
import type {ToolDefinition} from '../../core/session/tool.ts';
import type {Call} from '../chunks.ts';
import type {Vendor} from '../failure.ts';
import type {ProviderRequest} from '../provider.ts';
import type {ArgumentNames} from '../schema/argument-names.ts';

/** A tool as a host gets it. */
export type SentTool = ToolDefinition & {
	/** The tool that it stands for, with its real name and arguments. */
	readonly given: ToolDefinition;
	/** The arguments that have other names for the host. */
	readonly argumentNames?: ArgumentNames | undefined;
};

/** A request as it may be changed for a host, before its body is made. */
export type RequestDraft = Omit<ProviderRequest, 'tools'> & {
	readonly tools: readonly SentTool[];
	/** Tools that are sent only if others are left out. */
	readonly fallbackTools: readonly SentTool[];
};

/** What the user is told of a repair. */
export type RepairNotice = {readonly text: string; readonly hint?: string};

/**
 * A change of requests that makes a host accept them. `inDraft` and `inBody` return the same object where there is nothing
 * to change, and the same parts for the same parts: hosts have what was sent before in their cache.
 */
export type Repair = {
	/** Unique among the repairs of a host and model; with what it depends on, such as the hash of an image. */
	readonly id: string;
	readonly inDraft?: (draft: RequestDraft) => RequestDraft;
	readonly inBody?: (body: JsonObject) => JsonObject;
	/** What is left out or changed, for the user, such as `the tool echo of the MCP server files`. */
	readonly what: string;
	/** Told instead of a sentence made of `what`; `silent` if the user doesn't need to know. */
	readonly notice?: RepairNotice | 'silent';
};

/** A refusal that a part of the request may have caused. `text` is what the host says, without what it echoes. */
export type HostRefusal = {readonly status: number; readonly text: string};

/** A repair of the body of one wire format, and the words of a refusal that it is for. */
export type BodyRepair = {
	readonly name: string;
	readonly isRefused: (refusal: string) => boolean;
	/** Returns the body without what is refused, or in another form; the same object if that isn't there. */
	readonly mend: (body: JsonObject) => JsonObject;
	/** Returns the message for the user; left out if the user doesn't need to know. */
	readonly notice?: (model: string) => string;
	/** True for one that changes how messages follow each other. */
	readonly isOrder?: true;
};

/** A wire format and its host, as far as repairs depend on them. */
export type RepairedWire = {
	readonly vendor: Vendor;
	readonly toCall: (request: ProviderRequest) => Call;
	readonly bodyRepairs: readonly BodyRepair[];
	/** True for an answer as it comes from hosts that don't stream. */
	readonly isWhole: (answer: JsonObject) => boolean;
	/** The names of properties that the vendor's API is known to accept; any if left out. */
	readonly argumentName?: RegExp;
};

/** What a host and model have refused and accepted since the program started. */
export type RefusalMemory = {
	/** In the order in which they are applied. */
	repairs: readonly Repair[];
	/** Repairs by which a request was accepted though nobody knows which of them it needs, in groups that are tried together. */
	suspects: readonly (readonly Repair[])[];
	/** Keys of tools and hashes of images that were accepted. */
	readonly accepted: Set<string>;
	/** Keys of tools that fit no host, which the user was told. */
	readonly told: Set<string>;
	/** The last refusal that no repair helped against; '' after an answer. */
	unresolved: string;
};

/** Creates a repair for the top level of the body that leaves a field out. `pattern` matches a refusal of it. */
export function withoutField(name: string, pattern: RegExp, notice?: BodyRepair['notice']): BodyRepair {
	return {
		name,
		isRefused: refusal => pattern.test(refusal),
		mend(body) {
			const {[name]: value, ...rest} = body;
			return value === undefined ? body : rest;
		},
		...(notice && {notice}),
	};
}

/** True for a tool of an MCP server. */
export function isOfServer({name}: ToolDefinition): boolean {
	return mcpName.test(name);
}

/** Returns what a tool is called for the user. */
export function describeTool({name}: ToolDefinition): string {
	const [, server, tool] = mcpName.exec(name) ?? [];
	return server === undefined ? `the tool ${name}` : `the tool ${tool} of the MCP server ${server}`;
}

/** Returns the sentence for the user about what a host refused. */
export function noticeOf({what, notice}: Repair, {label}: Vendor): RepairNotice | undefined {
	if (notice === 'silent') {
		return undefined;
	}

	return notice ?? {text: `${label} refused ${what}. Continuing without it.`};
}

/** By the definition, because requests of a conversation have the same ones. */
const keys = new WeakMap<ToolDefinition, string>();

/** Returns what a tool is known by: its name and a hash of its definition. */
export function toolKey(tool: ToolDefinition): string {
	const {name, description, parameters} = tool;
	const key =
		keys.get(tool) ??
		`${name} ${createHash('sha256')
			.update(JSON.stringify([description, parameters]))
			.digest('hex')
			.slice(0, 16)}`;
	keys.set(tool, key);
	return key;
}

/**
 * Returns what a host said, and its status, if a part of the request may be what it refused: not for a key, credit, limits
 * of an account, a full window or a web page. The status of a refusal inside an answer is 200.
 */
export function refusalOf(error: unknown): HostRefusal | undefined {
	if (!(error instanceof AppError) || typeof error.cause !== 'object' || error.cause === null) {
		return undefined;
	}

	const {code, cause, overflow, permanent, temporary, retryAfter} = error;
	if (
		!('refusal' in cause && 'status' in cause) ||
		code === 'auth' ||
		permanent ||
		temporary ||
		retryAfter !== undefined
	) {
		return undefined;
	}

	const status = Number(cause.status);
	const text = String(cause.refusal);
	return overflow && status !== 413 && !mayBeOrder.test(text) ? undefined : {status, text};
}

/** What a template says of a prompt that was cut, and of one whose messages follow each other in another order. */
const mayBeOrder = /no user query found/i;
