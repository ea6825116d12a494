import type {Duplex} from 'node:stream';

/** A user whose sessions a server hosts, with the state folder that only they have. */
export type HostedUser = {readonly id: string; readonly name: string; readonly home: string};

/** Something that a user did with a session of theirs, or somebody who came by their link. */
export type HostingAct = {
	readonly act: 'share' | 'unshare' | 'join';
	/** The id of the user whose session it is. */
	readonly user: string;
	readonly session: string;
	readonly role: 'driver' | 'observer';
	/** ISO 8601 in UTC. */
	readonly endsAt: string;
};

/** What serves one terminal, which can be cut off. */
type ServedTerminal = {readonly close: () => void};

/** What hosts sessions for the users of a server, who prove to the server who they are. */
export type SessionHosting = {
	readonly connect: (stream: Duplex, user: HostedUser) => ServedTerminal;
	/** Accepts a one-time code. Returns undefined for any other text. */
	readonly join: (
		code: string,
	) => {readonly pass: string; readonly session: string; readonly role: 'driver' | 'observer'} | undefined;
	readonly guest: (
		pass: string,
	) => {readonly user: string; readonly connect: (stream: Duplex) => ServedTerminal} | undefined;
	/** Ends the sessions of a user, their links, and whoever is attached. */
	readonly end: (user: string, why: string) => Promise<void>;
	readonly close: (why: string) => Promise<void>;
};

export type HostingOptions = {
	readonly folders: readonly string[];
	/** Returns where clients reach the server, without a slash at the end. */
	readonly url: () => string;
	readonly onAct: (act: HostingAct) => void;
};

/** Opens what hosts sessions. Only a shell has it: it is made of the agent, which commands don't load. */
export type OpenSessionHosting = (options: HostingOptions) => Promise<SessionHosting>;
