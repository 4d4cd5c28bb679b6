declare const adopted: unique symbol;

/**
 * Proof that this node holds the connection to a device: the id of its session, which only an adoption makes. Statements that are
 * dangerous when two nodes execute them compare it with the last session of the device, so a node that has lost the device without
 * noticing has no effect.
 */
export type Epoch = string & { readonly [adopted]: true };
