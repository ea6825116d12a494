import type {McpServer} from '../config/mcp/mcp-file.ts';
import type {Environment} from '../core/environment.ts';
import type {OpenRequests} from '../net/open-requests.ts';
import type {AppStore} from '../store/store.ts';
import type {CommandContext, CommandRequest, SharedProgram} from './context.ts';
import type {RunFlags} from './invocation.ts';

/** What the program is built with. */
export type ComposeOptions = Partial<RunFlags> & {
	/**
	 * False for a command in a shell: each opens its own server, if it needs one, and `login` and `help` must work with any
	 * environment.
	 */
	readonly connect?: boolean;
	/** The folder that the program works in, an absolute path; that of the process by default. */
	readonly folder?: string;
	/** The environment of the session, and of what it starts; that of the process by default. */
	readonly env?: Environment;
	/** The state of the program; that of the app by default. */
	readonly store?: AppStore;
	/** MCP servers that whoever started the program gives it, beside those of files. */
	readonly mcpServers?: readonly McpServer[];
	/** True for a command that must run even if the state folder can't be opened. It changes nothing there. */
	readonly diagnoses?: boolean;
	/** Gets to know the requests to servers and vendors. */
	readonly openRequests?: OpenRequests;
	/** What its warnings begin with. */
	readonly notices?: readonly string[];
};

/** The program, for the app, a run without a screen and the shell. */
export type Program = SharedProgram & {
	/** Returns the context of one command. */
	readonly forCommand: (request: CommandRequest) => CommandContext;
	/** Returns what the user must know before the first message: ignored variables, and risks. */
	readonly warnings: () => readonly string[];
	/** Sends the traces that wait, for a moment. Returns a sentence about those that were not sent; undefined if all were. */
	readonly endTraces: () => Promise<string | undefined>;
	/** Ends the run and writes everything. */
	readonly close: () => Promise<void>;
};

/** The process that the program runs in. */
export type Surroundings = {
	/** Builds the program. Throws `AppError` if the state folder or the configuration is invalid. */
	readonly compose: (options: ComposeOptions) => Promise<Program>;
	readonly store: AppStore;
	readonly env: Environment;
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
	readonly version: string;
	/** Calls the listener at Ctrl+C or SIGTERM, until it returns 'end'; the one after that ends the process. */
	readonly onInterrupt: (listener: InterruptListener) => void;
};

export type InterruptListener = (signal?: NodeJS.Signals) => 'go on' | 'end';
