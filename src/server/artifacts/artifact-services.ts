import type {CoreServices} from '../kit/services.ts';
import type {ArtifactStore} from './artifact-store.ts';

/** What artifacts need. */
export type ArtifactServices = CoreServices & {readonly artifacts: ArtifactStore};
