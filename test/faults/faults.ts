import {approvals} from './approvals.ts';
import {clocks} from './clocks.ts';
import {durability} from './durability.ts';
import type {Fault} from './fault.ts';
import {hostedKills} from './hosted-kills.ts';
import {interruptedAnswers} from './interrupted-answers.ts';
import {links} from './links.ts';
import {network} from './network.ts';
import {places} from './places.ts';
import {secrets} from './secrets.ts';
import {server} from './server.ts';
import {servers} from './servers.ts';
import {soaks} from './soak.ts';
import {idleSockets} from './sockets.ts';
import {supplyChain} from './supply-chain.ts';
import {terminal} from './terminal.ts';
import {tls} from './tls.ts';
import {undo} from './undo.ts';
import {versions} from './versions.ts';

/** Every fault that is injected, in the order of the table. */
export const faults: readonly Fault[] = [
	...durability,
	...undo,
	versions,
	...places,
	...network,
	interruptedAnswers,
	tls,
	links,
	...server,
	...secrets,
	approvals,
	idleSockets,
	...servers,
	clocks,
	hostedKills,
	...soaks,
	...terminal,
	...supplyChain,
];
