import {durability} from './durability.ts';
import type {Fault} from './fault.ts';
import {network} from './network.ts';
import {places} from './places.ts';
import {server} from './server.ts';
import {supplyChain} from './supply-chain.ts';

/** Every fault that is injected, in the order of the table. */
export const faults: readonly Fault[] = [...durability, ...places, ...network, ...server, ...supplyChain];
