import type {Duplex} from 'node:stream';

/** Where terminals connect, and where a one-time code is exchanged, below the address of a host or of a server. */
export const linkPath = '/host/link';
export const joinPath = '/host/join';

/** Where a terminal proves its login to a server. */
export const passPath = '/api/v1/host/pass';

/** What whoever comes without a valid code, or a valid pass, is told. */
export const invalidCode = 'That code isn’t valid: it was used, it has ended, or it was revoked. Ask for another one.';
export const invalidPass = 'The login or the link of this terminal has ended.';

/** A user whose sessions a server hosts. */
export type HostedAccount = {
	readonly id: string;
	/** The address that they log in with: others see it where they attach. */
	readonly name: string;
	/** The folder for what is kept of them, which no other user has. */
	readonly home: string;
};

/** Something that a user did with a session of theirs, or somebody who came by their link. */
export type HostedAct = {
	readonly act: 'share' | 'unshare' | 'join';
	/** The id of the user whose session it is. */
	readonly user: string;
	readonly session: string;
	readonly role: 'driver' | 'observer';
	/** When the link ends, as ISO 8601 in UTC. */
	readonly endsAt: string;
};

export type HostedConnection = {readonly close: () => void};

/** Whoever came by a link, until that ends. */
export type HostedGuest = {
	/** The id of the user whose session it is. */
	readonly user: string;
	readonly connect: (stream: Duplex) => HostedConnection;
};

/** What hosts sessions, as a server sees it. It is created above the server, which knows nothing of agents. */
export type Hosting = {
	/** Serves a terminal of a user until it ends. */
	readonly connect: (stream: Duplex, user: HostedAccount) => HostedConnection;
	/** Accepts a one-time code. Returns what proves from then on who came by it; undefined for any other text. */
	readonly join: (
		code: string,
	) => {readonly pass: string; readonly session: string; readonly role: 'driver' | 'observer'} | undefined;
	/** Returns whoever has a pass that `join` gave; undefined for any other text, and after the end of the link. */
	readonly guest: (pass: string) => HostedGuest | undefined;
	/** Ends the sessions of a user, their links, and whoever is attached. */
	readonly end: (user: string, why: string) => Promise<void>;
	readonly close: (why: string) => Promise<void>;
};

/** What a server gives to what hosts sessions for its users. */
export type HostingOptions = {
	readonly folders: readonly string[];
	/** Returns where clients reach the server, without a slash at the end. */
	readonly url: () => string;
	readonly onAct: (act: HostedAct) => void;
};

/**
 * Creates the hosting of a server. Throws AppError("usage") for a folder that doesn't exist. Only a shell has it: it is made of the
 * agent, which neither commands nor servers load.
 */
export type OpenHosting = (options: HostingOptions) => Promise<Hosting>;
