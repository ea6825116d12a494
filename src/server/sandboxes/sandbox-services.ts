import type {CoreServices} from '../kit/services.ts';
import type {Sandboxing} from './sandboxing.ts';

/** What environments and runtimes stand on. */
export type SandboxServices = CoreServices & {readonly sandboxes: Sandboxing};
