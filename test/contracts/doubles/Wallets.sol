// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice A smart account with one owner, replaceable at any time.
contract OwnedWallet is IERC1271 {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function setOwner(address owner_) external {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, , ) = ECDSA.tryRecoverCalldata(hash, signature);
        return signer == owner ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function execute(address target, bytes calldata data) external returns (bytes memory) {
        (bool ok, bytes memory result) = target.call(data);
        require(ok, "execute failed");
        return result;
    }
}

/// @notice Answers signature questions in every way but the right one.
contract OddWallet {
    enum Answer {
        REVERT,
        NOTHING,
        SHORT,
        WRONG,
        TRUE
    }

    Answer public answer;

    function set(Answer answer_) external {
        answer = answer_;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        if (answer == Answer.REVERT) revert("no");
        if (answer == Answer.NOTHING) return "";
        if (answer == Answer.SHORT) return abi.encodePacked(IERC1271.isValidSignature.selector);
        if (answer == Answer.WRONG) return abi.encode(bytes4(0xdeadbeef));
        return abi.encode(uint256(1));
    }
}

/// @notice Writes while it is being asked about a signature, which a static call forbids.
contract BusyWallet {
    uint256 public calls;

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        ++calls;
        return IERC1271.isValidSignature.selector;
    }
}
