import type {JsonObject} from '../json.ts';
import type {FileChange} from './event.ts';

/**
 * What the agent may do without asking. `ask`: read. `edits`: also change files of the folder. `all`: also whatever a
 * sandbox holds. `plan`: read, and nothing else even if the user would allow it. They are in the order in which keys select
 * them: the one that allows most comes last.
 */
export const approvalModes = ['ask', 'edits', 'plan', 'all'] as const;
export type ApprovalMode = (typeof approvalModes)[number];

/** What a tool is about to do, as rules see it. */
export type Act =
	/** `path` is an absolute real path. The names of `read-secret` and `edit-secret` files suggest secrets. */
	| {readonly kind: 'read-secret'; readonly path: string}
	| {
			readonly kind: 'edit' | 'edit-secret';
			readonly path: string;
			/** The whole text before and after of a file that only partly runs by itself; nothing before a new one. */
			readonly text?: {readonly before?: string | undefined; readonly after: string};
	  }
	/** `command` is the exact text for the shell, `folder` where it runs: an absolute real path. */
	| {
			readonly kind: 'command';
			readonly command: string;
			readonly folder: string;
			/** Whether a sandbox holds it: `sandbox` without the network, `network` with it, `none` if nothing does. */
			readonly containment: 'sandbox' | 'network' | 'none';
			/** True if it failed in a sandbox, and would run again with less of one. */
			readonly widened?: boolean;
			/** Secret files of the folder that it could read after a yes, as absolute paths. */
			readonly reveals?: readonly string[];
			/** True if the folder has more files than could be searched for secret ones. */
			readonly isUnsearched?: boolean;
	  }
	/** `url` is what is fetched, after normalization; `method` is in upper case. */
	| {readonly kind: 'fetch'; readonly url: string; readonly method: string}
	/** A call of a tool of an MCP server; both names are as rules spell them. */
	| {
			readonly kind: 'mcp';
			readonly server: string;
			readonly tool: string;
			readonly arguments: JsonObject;
			/** True if the server runs on this machine, outside of every sandbox. */
			readonly isLocal: boolean;
			/** True if the server says that the tool changes nothing. */
			readonly claimsReadOnly?: true;
			/** True if what the server says about the tool isn't what the user allowed last. */
			readonly isChanged?: true;
	  }
	/**
	 * What another agent asks for: all of it is what the agent says of itself. `paths` are absolute; without any, nothing is
	 * known of the files.
	 */
	| {
			readonly kind: 'agent';
			readonly agent: string;
			readonly does: 'read' | 'edit' | 'command' | 'other';
			readonly title: string;
			readonly paths: readonly string[];
			/** The command that it is about to run. */
			readonly command?: string;
			readonly arguments: JsonObject;
			/** True if a sandbox holds the agent itself. */
			readonly isContained: boolean;
			/** What the agent would allow itself from then on, in its words; left out if it offers no such answer. */
			readonly always?: string;
			/** False if the agent offers no yes for this once. */
			readonly hasOnce: boolean;
			/** False if the agent offers no answer that refuses: then nobody but the user says yes. */
			readonly hasRefusal: boolean;
	  };

/** What a tool asks to be allowed. */
export type Approval = {
	readonly act: Act;
	/** The question. */
	readonly summary: string;
	/** Exactly what the answer covers. */
	readonly subject: string;
	/** True if a yes for the session covers everything of the same subject, which rules can't say. */
	readonly keepsSubject?: boolean;
	/** The change of a file, for the journal: without credentials and of limited length. */
	readonly change?: FileChange;
	/** The same change as the user sees it: exactly what is written. */
	readonly exactChange?: FileChange;
	/** Called before the answer if the user was asked, saw exactly this and agreed. */
	readonly onSeen?: () => void;
	/** What the user should know besides, a line each: the environment of a command, what is not contained. Untrusted. */
	readonly facts?: ReadonlyArray<readonly [label: string, value: string]>;
};

/**
 * The answer to an approval: of the user or the command line to the agent, and of the agent to the tool. A tool reads `allowed`,
 * `command`, `readOnly` and `reason`.
 */
export type ApprovalAnswer =
	| {
			readonly allowed: true;
			/** The command that the user made of the one that was asked for: it runs instead. */
			readonly command?: string;
			/** True if nobody allowed the command, because it only reads: it has to run so that it does. */
			readonly readOnly?: true;
			/** Identifies the one request that the user agreed to, with their command. Without it, their yes doesn't count. */
			readonly hash?: string;
			/** For how long: the suggested rules too, the same request if there are none, or all edits. */
			readonly keep?: 'session' | 'folder' | 'edits';
			/** True if another agent, which asked, is to allow itself the same from now on. */
			readonly always?: true;
			/** Set if the command line of a run without a user allowed it. */
			readonly by?: 'flag';
			/** What the user has to know about that. */
			readonly notice?: string;
	  }
	| {
			readonly allowed: false;
			/** Why it is refused, for the model. */
			readonly reason?: string;
			/** Set if nobody can be asked. */
			readonly by?: 'flag';
			/** The flags that would allow it, if any do. */
			readonly flags?: string;
	  };
