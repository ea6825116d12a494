import type {JsonObject} from '../../core/json.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import type {AskUser} from '../../core/session/user-question.ts';

/** A tool as its server describes it. Nothing of it is trusted. */
export type ListedTool = {
	readonly name: string;
	readonly title?: string | undefined;
	readonly description?: string | undefined;
	readonly inputSchema: JsonObject;
	/** What the server claims: true if the tool changes nothing. */
	readonly readOnlyHint?: boolean | undefined;
};

/** A prompt as its server describes it. Nothing of it is trusted. */
export type ListedPrompt = {
	readonly name: string;
	readonly title?: string | undefined;
	readonly description?: string | undefined;
	readonly arguments: ReadonlyArray<{readonly name: string; readonly required: boolean}>;
};

/** A resource as its server describes it, or a template for URIs of resources. Nothing of it is trusted. */
export type ListedResource = {
	readonly uri: string;
	/** What it is called, or is about. */
	readonly about: string;
	/** True if `uri` has variables, such as `file:///{path}`. */
	readonly isTemplate: boolean;
};

/** What the user types of a resource. */
export type Completion = {
	/** The template, such as `file:///{path}`, and the variable of it. */
	readonly template: string;
	readonly name: string;
	readonly value: string;
	/** The values before it, by variable. */
	readonly known: Readonly<Record<string, string>>;
};

/** A part of a resource: its text, or its bytes in base64. */
export type ResourceContent = {readonly uri: string} & ({readonly text: string} | {readonly blob: string});

/** A part of a result. */
export type ResultPart =
	| {readonly type: 'text'; readonly text: string}
	| {readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string}
	| {readonly type: 'link'; readonly uri: string; readonly text?: string | undefined};

export type CallResult = {readonly parts: readonly ResultPart[]; readonly isError: boolean};

/** A list of a server, and a sentence for each part of it that was repaired or left out. */
export type Listing<Item> = {readonly items: readonly Item[]; readonly faults: readonly string[]};

export type CallOptions = {
	readonly signal: AbortSignal;
	/** How long the call may take without progress. */
	readonly timeoutMs: number;
	readonly onProgress: (text: string) => void;
	/** Shows the user a sentence about the call. */
	readonly onNotice?: ToolContext['onNotice'] | undefined;
	/** Asks the user for the server; undefined if nobody can be asked. */
	readonly ask?: AskUser | undefined;
};

/** An open connection to a server. */
export type McpConnection = {
	/** What the server calls itself, and the version of the protocol. */
	readonly about: string;
	/** True if the server keeps a session for the connection, which it can lose. */
	readonly hasSession: () => boolean;
	/** Lists the tools. Throws what the server answers. */
	readonly listTools: () => Promise<Listing<ListedTool>>;
	/** Lists the prompts. Throws what the server answers. */
	readonly listPrompts: () => Promise<Listing<ListedPrompt>>;
	/** Returns the messages of a prompt, one part each. Throws as `call` does. */
	readonly prompt: (
		name: string,
		args: Readonly<Record<string, string>>,
		signal: AbortSignal | undefined,
	) => Promise<readonly ResultPart[]>;
	/** Lists the resources, then the templates; none if the server has none. Throws as `call` does. */
	readonly listResources: (signal: AbortSignal | undefined) => Promise<readonly ListedResource[]>;
	/** Returns values that the server proposes; none if it proposes none at all. Throws as `call` does. */
	readonly complete: (typed: Completion, signal: AbortSignal) => Promise<readonly string[]>;
	/** Returns the contents of a resource. Throws as `call` does. */
	readonly readResource: (uri: string, signal: AbortSignal | undefined) => Promise<readonly ResourceContent[]>;
	/** Throws the error of the server, or that the connection ended; the signal's reason on an abort. */
	readonly call: (tool: string, args: JsonObject, options: CallOptions) => Promise<CallResult>;
	/** Ends the session, and the server if it was started here. */
	readonly close: () => Promise<void>;
};

/** What happens on a connection without being asked for. */
export type ConnectionEvents = {
	/** Gets lines that the server wrote. */
	readonly onLog: (line: string) => void;
	/** Gets lines about the connection, for the log. */
	readonly onNote: (line: string) => void;
	/** Called when the tools or the prompts may have changed. */
	readonly onListsChanged: () => void;
	/** Called once when the connection has ended by itself. */
	readonly onEnd: (reason: string) => void;
};
