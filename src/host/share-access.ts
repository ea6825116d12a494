import type {Person, SharedLink} from '../link/protocol.ts';
import type {Admission, Sharing} from './admission.ts';
import type {Share, Shares} from './shares.ts';

type Options = {
	/** Whose sessions are shared; undefined for the user who runs the host. */
	readonly owner: string | undefined;
	/** Returns where clients reach the host, without a slash at the end. */
	readonly url: () => string;
	readonly onAct?: (act: 'share' | 'unshare', share: Share) => void;
};

/** Lets an owner share sessions, by links to where the host listens. */
export function sharingOf(shares: Shares, {owner, url, onAct}: Options): Sharing {
	return {
		create(session, role, forMs) {
			const {code, ...share} = shares.create({session, role, owner}, forMs);
			onAct?.('share', share);
			return {id: share.id, link: `${url()}/join/${code}`, ends_at: new Date(share.endsAt).toISOString()};
		},
		list: (): readonly SharedLink[] => shares.list(owner),
		revoke(id) {
			const share = shares.revoke(id, owner);
			onAct?.('unshare', share);
			return share;
		},
	};
}

/** What a link allows: one session, as an observer or a driver, and nothing that is its owner's. */
export function guestAdmission({id, session, role, owner}: Share): Admission {
	return {
		rank: role,
		who: ({user, machine}: Person) => `link ${id} (${user}@${machine})`.slice(0, maxName),
		way: `link ${id}`,
		isGuest: true,
		reaches: reached => reached.id === session,
		environment: {},
		...(owner !== undefined && {owner}),
	};
}

/** A name that somebody else gave themselves takes no row of the screen. */
const maxName = 60;
