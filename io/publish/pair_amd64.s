#include "textflag.h"

// SHA-256 of two messages at once [FIPS 180-4; Gulley et al., Intel SHA Extensions,
// 2013]. One message waits for every instruction of its rounds; two take turns.

// QUAD does four rounds with the message words m, and the constants at AX.
#define QUAD(at, m, abef, cdgh) \
	MOVOU (at*16)(AX), X0         \
	PADDD m, X0                   \
	SHA256RNDS2 X0, abef, cdgh    \
	PSHUFD $0x0e, X0, X0          \
	SHA256RNDS2 X0, cdgh, abef

// LOAD takes four words, big-endian.
#define LOAD(at, p, m) \
	MOVOU (at*16)(p), m \
	PSHUFB X15, m

// NEXT makes of d, which has been through SHA256MSG1, the words that follow those
// of b and c; t is room.
#define NEXT(b, c, d, t) \
	MOVO c, t              \
	PALIGNR $4, b, t       \
	PADDD t, d             \
	SHA256MSG2 c, d

// func compress(state *[16]uint32, a, b *byte, blocks int, k *[64]uint32)
TEXT ·compress(SB), NOSPLIT, $64-40
	MOVQ state+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ blocks+24(FP), CX
	MOVQ k+32(FP), AX
	MOVOU flip<>(SB), X15
	MOVOU 0(DI), X1
	MOVOU 16(DI), X2
	MOVOU 32(DI), X7
	MOVOU 48(DI), X8

loop:
	MOVOU X1, 0(SP)
	MOVOU X2, 16(SP)
	MOVOU X7, 32(SP)
	MOVOU X8, 48(SP)

	LOAD(0, SI, X3)
	QUAD(0, X3, X1, X2)
	LOAD(0, BX, X9)
	QUAD(0, X9, X7, X8)
	LOAD(1, SI, X4)
	QUAD(1, X4, X1, X2)
	LOAD(1, BX, X10)
	QUAD(1, X10, X7, X8)
	SHA256MSG1 X4, X3
	SHA256MSG1 X10, X9
	LOAD(2, SI, X5)
	QUAD(2, X5, X1, X2)
	LOAD(2, BX, X11)
	QUAD(2, X11, X7, X8)
	SHA256MSG1 X5, X4
	SHA256MSG1 X11, X10
	LOAD(3, SI, X6)
	LOAD(3, BX, X12)

// STEP does four rounds of either message and makes their next words.
#define STEP(at, a, b, c, d, e, f, g, h) \
	QUAD(at, d, X1, X2)       \
	QUAD(at, h, X7, X8)       \
	NEXT(c, d, a, X13)        \
	NEXT(g, h, e, X14)        \
	SHA256MSG1 d, c           \
	SHA256MSG1 h, g

	STEP(3, X3, X4, X5, X6, X9, X10, X11, X12)
	STEP(4, X4, X5, X6, X3, X10, X11, X12, X9)
	STEP(5, X5, X6, X3, X4, X11, X12, X9, X10)
	STEP(6, X6, X3, X4, X5, X12, X9, X10, X11)
	STEP(7, X3, X4, X5, X6, X9, X10, X11, X12)
	STEP(8, X4, X5, X6, X3, X10, X11, X12, X9)
	STEP(9, X5, X6, X3, X4, X11, X12, X9, X10)
	STEP(10, X6, X3, X4, X5, X12, X9, X10, X11)
	STEP(11, X3, X4, X5, X6, X9, X10, X11, X12)
	STEP(12, X4, X5, X6, X3, X10, X11, X12, X9)
	QUAD(13, X4, X1, X2)
	QUAD(13, X10, X7, X8)
	NEXT(X3, X4, X5, X13)
	NEXT(X9, X10, X11, X14)
	QUAD(14, X5, X1, X2)
	QUAD(14, X11, X7, X8)
	NEXT(X4, X5, X6, X13)
	NEXT(X10, X11, X12, X14)
	QUAD(15, X6, X1, X2)
	QUAD(15, X12, X7, X8)

	MOVOU 0(SP), X13
	PADDD X13, X1
	MOVOU 16(SP), X14
	PADDD X14, X2
	MOVOU 32(SP), X13
	PADDD X13, X7
	MOVOU 48(SP), X14
	PADDD X14, X8
	ADDQ $64, SI
	ADDQ $64, BX
	DECQ CX
	JNZ  loop

	MOVOU X1, 0(DI)
	MOVOU X2, 16(DI)
	MOVOU X7, 32(DI)
	MOVOU X8, 48(DI)
	RET

// func instructions() bool
TEXT ·instructions(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JB   done
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $29, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)
done:
	RET

DATA flip<>+0(SB)/8, $0x0405060700010203
DATA flip<>+8(SB)/8, $0x0c0d0e0f08090a0b
GLOBL flip<>(SB), RODATA|NOPTR, $16
