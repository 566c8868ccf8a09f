/** The floating cart button and its drawer; nothing while the cart is empty. */
export function CartLayer() {
  return null;
}
