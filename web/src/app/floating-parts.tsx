import type { ReactNode } from 'react';
import { CartButtonAndDrawer } from '@/features/buyer/cart/cart-button-and-drawer';
import { Toaster } from '@/shared/ui/toaster';

/** The parts above a page: toasts, and on public pages the cart. Boards do not load them. */
export function FloatingParts({ cart = false }: { cart?: boolean }): ReactNode {
  return (
    <>
      {cart ? <CartButtonAndDrawer /> : null}
      <Toaster />
    </>
  );
}
